/** Which session each row of a segment is in, as small numbers that index arrays of state. */
import type { Segment } from '../../shards/shard-reader.ts';
import { largestOf, leastOfSome } from '../../primitives/columns.ts';
import { PairIds } from '../groups/pair-ids.ts';
import type { QueryContext } from '../query-context.ts';
import { listedRows, rangeOf, rowsFrom, type Positions } from '../groups/positions.ts';
import type { CodeArray } from '../rows/field-column.ts';
import { pick, pickCodes } from '../rows/pick.ts';
import { threshold } from '../../base/threshold.ts';
import { CHECK_EVERY } from '../check-every.ts';

/**
 * `session`: all events with one session id, whoever sent them. `person`: those of them that one person sent; events of nobody
 * are in none.
 */
export type Forming = 'session' | 'person';

export interface RowKeys {
  /** By row; 0: in no session. Equal keys mean one session, within this segment only. */
  readonly keys: CodeArray;
  /** Keys other than 0 lie in `low` to `low + count - 1`. */
  readonly low: number;
  readonly count: number;
}

/** Session codes index arrays directly if these are no longer than so many places per row, plus so many in any case. */
const PLACES_PER_ROW = 4;
const PLACES = threshold('array places of session codes', 65_536, { least: -Infinity });

/**
 * null: no row is in a session.
 * @param where The rows whose keys are asked for; others have any. null: all rows.
 */
export function keysOf(
  segment: Segment,
  forming: Forming,
  where: Positions | null,
  context: QueryContext,
): RowKeys | null {
  const codes = segment.column('session_id')?.codes ?? null;
  if (codes === null) return null;
  const rows = where ?? rowsFrom({ from: 0, to: codes.length });
  const { from, to } = rangeOf(rows);
  const isDense = ({ low, high }: CodeBounds): boolean => high - low < (to - from) * PLACES_PER_ROW + PLACES.value;
  const whole = codesOf(segment);
  const bounds = where === null || isDense(whole) ? whole : boundsOf(pickCodes(codes, listedRows(rows)));
  if (bounds.high === 0) return null;
  const keys = isDense(bounds)
    ? { keys: codes, low: bounds.low, count: bounds.high - bounds.low + 1 }
    : renumbered(codes, rows, context);
  return forming === 'session' ? keys : ofPersons(keys, segment.persons(context.identity()), rows, context);
}

interface CodeBounds {
  readonly low: number;
  readonly high: number;
}

const boundsOf = (codes: CodeArray): CodeBounds => ({
  low: leastOfSome(codes),
  high: largestOf(codes),
});

/** The smallest and the largest session code of a segment; 0 and 0 if it has none. */
export function codesOf(segment: Segment): CodeBounds {
  return segment.derived('session codes', () => {
    return { value: boundsOf(segment.column('session_id')?.codes ?? new Uint8Array(0)), bytes: 100 };
  });
}

/** Late events have much older codes: then codes are numbered as they appear. */
function renumbered(codes: CodeArray, where: Positions, context: QueryContext): RowKeys {
  const rows = listedRows(where);
  const numbers = new PairIds(context);
  numbers.id(0, 0); // 0: no session
  const ids = numbers.idsOf(new Uint32Array(rows.length), pick(codes, rows, new Uint32Array(rows.length)));
  const count = numbers.size - 1;
  numbers.release();
  const keys = new Uint32Array(codes.length);
  for (let at = 0; at < rows.length; at++) keys[rows[at]!] = ids[at]!;
  context.memory.give(ids.byteOffset);
  return { keys, low: 1, count };
}

/** A session is usually of one person, whose key is the session's own; only other persons are looked up. */
function ofPersons(
  { keys, low, count }: RowKeys,
  persons: Uint32Array,
  where: Positions,
  context: QueryContext,
): RowKeys {
  const owners = new Uint32Array(count + 1);
  const others = new PairIds(context);
  const own = new Uint32Array(keys.length);
  const rows = listedRows(where);
  for (let at = 0; at < rows.length; at++) {
    if (at % CHECK_EVERY === 0) context.checkpoint();
    const row = rows[at]!;
    const person = persons[row]!;
    if (keys[row] === 0 || person === 0) continue;
    const key = keys[row]! - low + 1;
    if (owners[key] === 0) owners[key] = person;
    own[row] = owners[key] === person ? key : count + 1 + others.id(key, person);
  }
  const all = count + others.size;
  others.release();
  return { keys: own, low: 1, count: all };
}
