/** A query thread that is slow to start, and then creates a file as a sign. */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ThreadReply } from '../../lib/workers/pool/protocol.ts';

const START_MS = 300;

Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, START_MS);
writeFileSync(join(tmpdir(), `windlass-${process.pid}-started`), '');

// oxlint-disable-next-line import/no-default-export -- Piscina calls the default export
export default function run(): ThreadReply {
  return { reply: { kind: 'stopped' }, thread: 0, kept: 0, cacheBytes: 0 };
}
