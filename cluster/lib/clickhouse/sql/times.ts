/** Times as ClickHouse reckons with them: the offsets of a zone come from the service, since both must agree on every one. */
import { offsetText, writableOffset, type Zone } from '../../../../lib/seam.ts';
import { join, sql, text, texts, whole, type Sql } from './statement.ts';

/** From `from` to `to`, milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Where the times of profiles lie: anyone may send events of any time, but zones hardly change outside these. */
export const EVER: Span = { from: Date.UTC(1970, 0, 1), to: Date.UTC(2100, 0, 1) };

/** How many of the starts after the first have begun at that time: which of them it belongs to. */
export function startedBy(ms: Sql, starts: readonly number[]): Sql {
  const later = starts.slice(1).map((start) => sql`(${ms} >= ${whole(start)})`);
  return later.length === 0 ? whole(0) : sql`(${join(later, ' + ')})`;
}

/** RFC 3339 with milliseconds in the zone, as lib/dsl/time/format-time.ts prints it; NULL of NULL. */
export function timeText(ms: Sql, zone: Zone, span: Span): Sql {
  const { starts, offsets } = offsetsOf(zone, span);
  const nth = sql`${startedBy(ms, starts)} + 1`;
  const [only = 0] = offsets;
  const offset = offsets.length === 1 ? whole(only) : sql`[${join(offsets.map(whole), ', ')}][${nth}]`;
  const printed = offsets.length === 1 ? text(offsetText(only)) : sql`${texts(offsets.map(offsetText))}[${nth}]`;
  const local = sql`(${ms} + ${offset})`;
  return sql`concat(formatDateTime(fromUnixTimestamp64Milli(${local}, 'UTC'), '%Y-%m-%dT%H:%i:%S'), '.', leftPad(toString(positiveModulo(${local}, 1000)), 3, '0'), ${printed})`;
}

/** What the clock of the zone shows, as milliseconds. */
export function localTime(ms: Sql, zone: Zone, span: Span): Sql {
  const { starts, offsets } = offsetsOf(zone, span, (offset) => offset);
  return sql`(${ms} + [${join(offsets.map(whole), ', ')}][${startedBy(ms, starts)} + 1])`;
}

/**
 * The zone's offsets as written, by the times at which they begin. No event lies far ahead, but a range may: clocks that change
 * twice a year would do so half a million times in it.
 */
function offsetsOf(
  zone: Zone,
  { from, to }: Span,
  written = writableOffset,
): { readonly starts: number[]; readonly offsets: number[] } {
  const starts: number[] = [];
  const offsets: number[] = [];
  const end = Math.min(to, EVER.to);
  for (let at = from; at < end || starts.length === 0;) {
    const stretch = zone.stretchAt(at);
    const offset = written(stretch.offset);
    if (offsets.at(-1) !== offset) {
      starts.push(at);
      offsets.push(offset);
    }
    at = stretch.end;
  }
  return { starts, offsets };
}
