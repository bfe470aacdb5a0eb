import { findZone, type Zone } from '../../../lib/dsl/time/zone.ts';

/** A zone; throws if it does not exist. */
export function zone(name: string): Zone {
  const found = findZone(name);
  if (found === null) {
    throw new Error(`no zone ${name}`);
  }
  return found;
}
