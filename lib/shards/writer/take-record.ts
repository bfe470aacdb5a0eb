import type { WaitingRecord } from '../journal/read-record.ts';
import { unpackedBody } from '../journal/record-head.ts';
import { FIRST_INGEST_RULES } from '../request.ts';
import type { Steps } from '../seal/errand.ts';
import type { ShardWriter } from './shard-writer.ts';
import type { Taking } from './taking.ts';

/** Reads a record of the journal into its shard, unless that has it already. Returns the bytes that wait because of it; null if nothing was read. */
export function* takeRecord(taking: Taking, shard: ShardWriter, record: WaitingRecord): Steps<number | null> {
  const { head, body, place } = record;
  if (head.arrival < shard.state.nextArrival) return null;
  shard.state.nextArrival = head.arrival;
  const scope = taking.scope({ ...head, context: { rules: FIRST_INGEST_RULES, ...head.context } });
  scope.mayBeRefused = false;
  const unpacked = unpackedBody(head, body);
  yield* taking.take(head.kind, unpacked, shard, scope);
  return shard.commit(scope, { place, bytes: unpacked.byteLength }).bytes;
}
