/** Times in rows: RFC 3339 with milliseconds and the zone's offset. */
import { offsetText, writableOffset } from './offset.ts';
import type { Zone } from './zone.ts';

/**
 * `2026-01-31T10:00:00.000Z`, `2026-01-31T15:45:00.000+05:45`. Any zone's offset of 0 is written `Z`. Throws RangeError outside
 * the times that a Date can hold.
 */
export function formatTime(ms: number, zone: Zone): string {
  const offset = writableOffset(zone.offsetAt(ms));
  const text = new Date(ms + offset).toISOString();
  return offset === 0 ? text : text.slice(0, -1) + offsetText(offset);
}
