/** Indexes what has no index yet: insert ids of an earlier version's shard, and texts of that or of one that was seldom sealed. */
import { randomInt } from 'node:crypto';
import { chunksAfter, storedCodes, storedTexts } from '../dictionary/chunks.ts';
import { joinedTexts, partOf, type TextList } from '../segment/encoding/texts.ts';
import { storeTextRun } from './seal-batch.ts';
import { COLUMN } from '../segment/columns.ts';
import type { Connection } from '../file/shard-file.ts';
import { readMeta, WORD_VALUES, writeMeta } from '../segment/shard-meta.ts';
import { textRuns } from '../dictionary/text-runs.ts';
import { hasKeyRuns, takeInRuns } from '../segment/insert-ids/key-runs.ts';
import { threshold } from '../../base/threshold.ts';
import type { Secret } from '../hashing/text-hash.ts';

/** Dictionaries shared by a shard's segments. */
const SHARED = [COLUMN.userId, COLUMN.sessionId, COLUMN.eventType] as const;
/** Texts, and rows of up to 256 KiB of text, that may be read when a shard is opened: takes some ten milliseconds. */
const READ_TEXTS = threshold('texts that are read when a shard is opened', 131_072);
const READ_ROWS = 128;
/** Texts in a run, and their bytes. */
const RUN_TEXTS = 262_144;
const RUN_BYTES = 16 << 20;

/** Whether the shard must be indexed before it is loaded: its insert ids are not, or to read it would take so long that others should not wait. */
export function lacksIndex(connection: Connection): boolean {
  if (hasKeyRuns(connection)) return true;
  return SHARED.some((field) => {
    const indexed = lastIndexed(connection, field);
    if (storedCodes(connection, field) - indexed > READ_TEXTS.value) return true;
    return chunksAfter(connection, field, indexed) > READ_ROWS;
  });
}

/** Indexes insert ids and all texts, in as many transactions as needed. */
export function indexShard(connection: Connection): void {
  takeInRuns(connection);
  const secret = secretOf(connection);
  for (const field of SHARED) {
    const size = storedCodes(connection, field);
    for (let done = lastIndexed(connection, field); done < size;) {
      const list = textsAfter(connection, field, done);
      const first = done + 1;
      done += list.count;
      connection.transaction(() => storeTextRun(connection, field, { first, list }, secret)).immediate();
    }
  }
}

const lastIndexed = (connection: Connection, field: number): number =>
  textRuns(connection, field).reduce((most, { last }) => Math.max(most, last), 0);

/** The next texts that fit into a run. */
function textsAfter(connection: Connection, field: number, code: number): TextList {
  const lists: TextList[] = [];
  let count = 0;
  let bytes = 0;
  for (const { first, list } of storedTexts(connection, field, code + 1)) {
    const own = first <= code ? partOf(list, code + 1 - first, list.count) : list;
    lists.push(own);
    count += own.count;
    bytes += own.bytes.length;
    if (count >= RUN_TEXTS || bytes >= RUN_BYTES) break;
  }
  return joinedTexts(lists);
}

/** The key for hashing, fixed for the life of the shard; created here if nothing has needed it yet. */
function secretOf(connection: Connection): Secret {
  const known = readMeta(connection).idSecret;
  if (known) return known;
  const [first, second] = [randomInt(WORD_VALUES), randomInt(WORD_VALUES)];
  connection.transaction(() => writeMeta(connection, { id_secret_1: first, id_secret_2: second })).immediate();
  return [first, second];
}
