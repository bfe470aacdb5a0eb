/**
 * Reads ahead what the lookups of some events' ids will read. The tables of a project are larger than a core's cache, and a lookup
 * that depends on the one before it waits for memory each time; reads that depend on nothing are fetched many at once. The loops
 * are short so that the processor sees many of them ahead.
 */
import { blockHash } from '../../hashing/block-filter.ts';
import { seekId, slotOfKey } from '../../segment/insert-ids/insert-key.ts';
import * as scan from '../scan/scanned-event.ts';
import type { ShardState } from '../shard-state.ts';
import type { PendingRows } from './pending-rows.ts';

/** Hashes of what will be looked up. */
const slots = new Int32Array(scan.AHEAD);
const blocks = new Int32Array(scan.AHEAD);
const ids = new Int32Array(2 * scan.AHEAD);
const sessions = new Int32Array(scan.AHEAD);
/** Takes what was read, or a compiler would leave the reads out. */
const read = new Int32Array(1);

/** Also seeks the insert id of each event (`sought`). */
export function prefetch({ bytes, events, count }: scan.ScannedEvents, rows: PendingRows, state: ShardState): void {
  let sent = 0;
  let named = 0;
  let visits = 0;
  for (let i = 0; i < count; i++) {
    const { texts, sought } = events[i]!;
    const start = texts[scan.INSERT_ID]!;
    if (start >= 0) {
      seekId(bytes, start, texts[scan.INSERT_ID + scan.END]!, state.idSecret, sought);
      slots[sent] = slotOfKey(sought.high, sought.low);
      blocks[sent++] = blockHash(sought.high, sought.low);
    }
    if (texts[scan.USER_ID]! >= 0) ids[named++] = texts[scan.USER_ID + scan.HASH]!;
    if (texts[scan.DEVICE_ID]! >= 0) ids[named++] = texts[scan.DEVICE_ID + scan.HASH]!;
    if (texts[scan.SESSION_ID]! >= 0) sessions[visits++] = texts[scan.SESSION_ID + scan.HASH]!;
  }
  read[0] =
    rows.prefetch(slots, sent) ^
    state.sieves.prefetch(blocks, sent) ^
    state.ids.prefetch(ids, named) ^
    state.sessions.prefetch(sessions, visits);
}
