/** A query thread whose parts end when nobody waits for them any longer. */
import { threadId } from 'node:worker_threads';
import type { Task, ThreadReply } from '../../lib/workers/pool/protocol.ts';

// oxlint-disable-next-line import/no-default-export -- Piscina calls the default export
export default function hold({ kind, stop }: Task): ThreadReply {
  if (kind === 'part') while (Atomics.load(stop, 0) === 0) Atomics.wait(stop, 0, 0, 5);
  return { reply: { kind: 'done' }, thread: threadId, kept: 0, cacheBytes: 0 };
}
