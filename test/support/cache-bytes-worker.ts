/** A query thread that answers how many bytes of decoded columns it may keep. */
import { workerData } from 'piscina';
import type { Reply, ThreadOptions } from '../../lib/workers/pool/protocol.ts';

// oxlint-disable-next-line import/no-default-export -- Piscina calls the default export
export default function run(): Reply {
  const { cacheBytes }: ThreadOptions = workerData;
  return { kind: 'bug', message: String(cacheBytes), stack: '' };
}
