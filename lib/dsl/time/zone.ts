/**
 * Time zones by name. Offsets come from Intl, but only once: a zone's transitions are searched lazily, about a year at a time,
 * and kept; then an offset takes two array reads. (An Intl call costs a microsecond.)
 */
import { DAY_MS } from '../../base/day.ts';
import { Lru } from '../../base/lru.ts';
import { zoneName } from '../../base/zone-name.ts';
import { TransitionTable, type Stretch } from './transitions.ts';

export interface Zone {
  readonly name: string;
  /** Milliseconds to add to UTC at this moment. */
  offsetAt(ms: number): number;
  /** The stretch of constant offset around this moment. */
  stretchAt(ms: number): Stretch;
}

/** Zones to keep. Each holds an Intl formatter (tens of KB) and its transitions; clients may name any of about 600. */
const MAX_ZONES = 128;

const zones = new Lru<string, Zone>(MAX_ZONES);

/**
 * The zone of an IANA name (any case) or `UTC`; null if there is none. Plain offsets such as `+02:00` are not zones. The zone's
 * name has the case of the IANA database if it is canonical; an alias stays as spelt.
 */
export function findZone(name: string): Zone | null {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const found = zoneName(name);
  if (found === null) return null;
  const zone = found === 'UTC' ? UTC : new TransitionTable(found);
  zones.set(name, zone);
  return zone;
}

/**
 * The moment at which the zone's clocks show this local time. For one that does not exist, the first instant after the gap; for one
 * that occurs twice, the first. NaN for NaN.
 */
export function utcOfLocal(zone: Pick<Zone, 'stretchAt'>, local: number): number {
  if (!Number.isFinite(local)) return NaN;
  // Every offset is less than a day, so the moment lies within a day of the same reading in UTC.
  let stretch = zone.stretchAt(local - DAY_MS);
  for (;;) {
    const moment = local - stretch.offset;
    if (moment < stretch.start) {
      return stretch.start; // in the gap before this stretch
    }
    if (moment < stretch.end) return moment;
    stretch = zone.stretchAt(stretch.end);
  }
}

export const UTC: Zone = {
  name: 'UTC',
  offsetAt: () => 0,
  stretchAt: () => ({ start: -Infinity, end: Infinity, offset: 0 }),
};
