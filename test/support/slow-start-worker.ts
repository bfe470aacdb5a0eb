/** A query thread that is slow to start, and then creates a file as a sign. */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workerData } from 'piscina';
import { CONTROL, type Reply, type ThreadOptions } from '../../lib/workers/pool/protocol.ts';

const START_MS = 300;

const options: ThreadOptions = workerData;
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, START_MS);
writeFileSync(join(tmpdir(), `windlass-${process.pid}-started`), '');
Atomics.store(new Int32Array(options.control), CONTROL.up, 1);

// oxlint-disable-next-line import/no-default-export -- Piscina calls the default export
export default function run(): Reply {
  return { kind: 'stopped' };
}
