import { findZone, type Zone } from '../../../lib/dsl/time/zone.ts';

/** A zone that must exist. */
export function zone(name: string): Zone {
  const found = findZone(name);
  if (found === null) {
    throw new Error(`no zone ${name}`);
  }
  return found;
}
