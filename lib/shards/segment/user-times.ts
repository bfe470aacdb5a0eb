import { decodeSequence } from './encoding/sequences.ts';
import type { Connection } from '../file/shard-file.ts';
import { bytesOf, type StoredBytes } from '../file/stored-bytes.ts';
import { TRIPLES, TIME, USER_ID } from './columns.ts';
import { decodeNarrow } from './decode.ts';
import { storedTriples } from './stored-triples.ts';

/** The first and last time of each user in the given segments. */
export function timesOfUsers(
  connection: Connection,
  segments: readonly number[],
): Map<number, { first: number; last: number }> {
  const seen = new Map<number, { first: number; last: number }>();
  const column = connection.prepare<[number, number], StoredBytes>(
    'SELECT data, sum FROM columns WHERE segment = ? AND field = ?',
  );
  for (const segment of segments) {
    const users = column.get(segment, USER_ID);
    const times = column.get(segment, TIME);
    if (!users || !times) continue;
    const at = decodeSequence(bytesOf(times));
    decodeNarrow(bytesOf(users), () => storedTriples(column.get(segment, TRIPLES))).forEach((user, row) => {
      if (user === 0) return;
      const known = seen.get(user);
      if (known) known.last = Math.max(known.last, at[row]!);
      else seen.set(user, { first: at[row]!, last: at[row]! });
      if (known) known.first = Math.min(known.first, at[row]!);
    });
  }
  return seen;
}
