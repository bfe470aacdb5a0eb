/** A query thread that answers how many bytes of decoded columns it may keep. */
import { workerData } from 'piscina';
import type { ThreadOptions, ThreadReply } from '../../lib/workers/pool/protocol.ts';

const { cacheBytes }: ThreadOptions = workerData;

// oxlint-disable-next-line import/no-default-export -- Piscina calls the default export
export default function run(): ThreadReply {
  return { reply: { kind: 'bug', message: String(cacheBytes), stack: '' }, thread: 0, kept: 0, cacheBytes };
}
