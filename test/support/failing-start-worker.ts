/** A query thread that fails while it starts, the first two in a process; those after them work. */
import { appendFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ThreadReply } from '../../lib/workers/pool/protocol.ts';

const mark = join(tmpdir(), `windlass-${process.pid}-failed`);
appendFileSync(mark, '.');
if (readFileSync(mark, 'utf8').length <= 2) throw new Error('there is no room for a thread');

// oxlint-disable-next-line import/no-default-export -- Piscina calls the default export
export default function run(): ThreadReply {
  return { reply: { kind: 'done' }, thread: 0, kept: 0, cacheBytes: 0 };
}
