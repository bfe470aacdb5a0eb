/** When events of some types were, over a whole snapshot: notes say it of those that the range of an answer lacks. */
import { threshold } from '../base/threshold.ts';
import { rowsOfType } from '../shards/segment/type-rows.ts';
import type { ShardReader, Snapshot } from '../shards/shard-reader.ts';

/** Rows of a project up to which an answer brings the spans along. Of larger ones they are asked for, by a query of their own. */
const MOST_ROWS = threshold('rows of a project whose spans come with an answer', 65_536);
/** Types that are looked for; a formula may name many. */
const MOST_TYPES = 8;

/** The stored events of a type, and the times of the first and the last, milliseconds since the epoch. */
export interface EventSpan {
  readonly name: string;
  readonly rows: number;
  readonly first: number;
  readonly last: number;
}

/** The spans of those types that have events; none of a large project. */
export function eventSpans(reader: ShardReader, snapshot: Snapshot, types: readonly string[]): EventSpan[] {
  const rows = snapshot.segments.reduce((sum, segment) => sum + segment.rows, 0);
  if (rows > MOST_ROWS.value) return [];
  return types.slice(0, MOST_TYPES).flatMap((name) => {
    const span = spanOf(reader, snapshot, name);
    return span.rows > 0 ? [span] : [];
  });
}

function spanOf(reader: ShardReader, { segments }: Snapshot, name: string): EventSpan {
  const code = reader.eventTypes().find(name);
  const span = { name, rows: 0, first: Infinity, last: -Infinity };
  for (const { id } of code === 0 ? [] : segments) {
    const segment = reader.segment(id);
    const count = rowsOfType(segment.types, code);
    if (count === 0) continue;
    const rows = segment.rowsOfType(code); // in order of time
    const [first, last] = segment.timesAt(Uint32Array.of(rows[0]!, rows[count - 1]!));
    span.rows += count;
    span.first = Math.min(span.first, first!);
    span.last = Math.max(span.last, last!);
  }
  return span;
}
