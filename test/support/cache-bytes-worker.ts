/** A query thread that answers how many bytes of decoded columns it may keep. */
import { workerData } from 'piscina';
import { CONTROL, type Reply, type ThreadOptions } from '../../lib/workers/pool/protocol.ts';

const { cacheBytes, control }: ThreadOptions = workerData;
Atomics.store(new Int32Array(control), CONTROL.up, 1); // or closing would wait for its start

// oxlint-disable-next-line import/no-default-export -- Piscina calls the default export
export default function run(): Reply {
  return { kind: 'bug', message: String(cacheBytes), stack: '' };
}
