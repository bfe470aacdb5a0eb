/**
 * What a seal writes, as plain data: the writer collects it, and whichever thread has time encodes and stores it. Nothing here
 * knows the shard in memory.
 */
import { storeBindings } from '../file/bindings.ts';
import type { StateBatch } from '../state-batch.ts';
import { appendTexts } from '../dictionary/chunks.ts';
import { saveProfiles, type ProfileRow } from '../file/profile-table.ts';
import { encodeSegment, timeOrder } from '../segment/encode.ts';
import type { RawField, RawSegment } from '../segment/raw.ts';
import { storeSegment } from '../segment/store.ts';
import { prepared, type Connection } from '../file/shard-file.ts';
import { bringToDisk } from '../file/unsynced.ts';
import { metaValue, nextArrival, readSegments, writeMeta, type SegmentEntry } from '../segment/shard-meta.ts';
import type { NumberedTexts } from '../dictionary/shared-texts.ts';
import { encodeTextRun, insertTextRun, textKeysOf, textRuns, type TextRunHead } from '../dictionary/text-runs.ts';
import { saveUsage } from '../file/usage-counters.ts';
import type { Secret } from '../hashing/text-hash.ts';

export interface SealBatch {
  /** The next arrival number in the file, as the writer knows it. */
  readonly follows: number;
  readonly state: StateBatch;
  readonly rows: Omit<RawSegment, 'fields'> | null;
  readonly fields: readonly RawField[];
  /** New entries of the log (see `encodeBindings`), following its first `version` entries. */
  readonly bindings: { readonly version: number; readonly data: Uint8Array };
  readonly profiles: readonly ProfileRow[];
}

/** What a seal added to the shard. */
export interface Sealed {
  readonly segment: SegmentEntry | null;
  readonly textRuns: readonly TextRunHead[];
}

/** Key in table `meta`: the segment of the last seal that had one. */
const SEALED_SEGMENT = 'sealed_segment';

/**
 * Stores everything in one transaction. If it throws, nothing has changed as far as anybody can tell: when a disk fails to sync a
 * log, the transaction may be there once the log is read again. So whoever stores the same batch again gets what was stored.
 */
export function storeBatch(connection: Connection, batch: SealBatch): Sealed {
  const { state, rows, fields, bindings, profiles } = batch;
  if (isStored(connection, batch)) return storedBefore(connection, batch);
  const raw = rows && { ...rows, fields };
  const ids = { secret: state.secret, since: -Infinity };
  const segment = raw && encodeSegment(raw, timeOrder(raw), ids);
  return connection
    .transaction((): Sealed => {
      const entry = segment && storeSegment(connection, segment, false);
      if (entry) writeMeta(connection, { [SEALED_SEGMENT]: entry.id });
      storeBindings(connection, bindings.version, bindings.data);
      saveProfiles(connection, profiles);
      return { segment: entry, textRuns: storeState(connection, state) };
    })
    .immediate();
}

function isStored(connection: Connection, { follows, state }: SealBatch): boolean {
  const next = state.meta['next_arrival'];
  return next !== follows && nextArrival(connection) === next;
}

function storedBefore(connection: Connection, { rows, state }: SealBatch): Sealed {
  bringToDisk(connection);
  const id = rows && metaValue(connection, SEALED_SEGMENT);
  const segment = readSegments(connection).find((entry) => entry.id === id) ?? null;
  const indexed = state.shared.filter(({ index }) => index !== null);
  return { segment, textRuns: indexed.flatMap(({ field }) => textRuns(connection, field).findLast(isFresh) ?? []) };
}

/** Whether a seal made it, and not a merge. */
const isFresh = ({ tier }: TextRunHead): boolean => tier === 0;

/** Must run inside the caller's transaction. */
export function storeState(connection: Connection, state: StateBatch): TextRunHead[] {
  writeMeta(connection, state.meta);
  for (const { id, key } of state.fields)
    prepared<[number, string], never>(connection, 'INSERT INTO fields (id, key) VALUES (?, ?)').run(id, key);
  for (const { field, first, list } of state.properties) appendTexts(connection, field, first, list);
  const runs = state.shared.flatMap(({ field, fresh, index }) => {
    if (fresh) appendTexts(connection, field, fresh.first, fresh.list);
    return index ? [storeTextRun(connection, field, index, state.secret)] : [];
  });
  saveUsage(connection, state.usage);
  return runs;
}

/** Adds texts to a dictionary's index. Must run inside the caller's transaction. */
export function storeTextRun(
  connection: Connection,
  field: number,
  { first, list }: NumberedTexts,
  secret: Secret,
): TextRunHead {
  const run = encodeTextRun(textKeysOf(list, first, secret), 0);
  const { tier, last, keys } = run;
  return { id: insertTextRun(connection, field, run), field, tier, last, keys };
}
