/** Entry of a query thread. */
import { workerData } from 'node:worker_threads';
import { yieldToOthers } from '../../base/thread-priority.ts';
import { loadSqlite } from '../../shards/file/shard-file.ts';
import type { Task, ThreadOptions, ThreadReply } from './protocol.ts';
import { TaskRunner } from './task-runner.ts';
import { ShardReaders } from './shard-readers.ts';

/** From this size on it takes longer to copy buffers than to transfer them. Bytes. */
const LARGE = 64 << 10;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the pool starts the thread with
const options = workerData as ThreadOptions;
if (options.yields) yieldToOthers('much');
loadSqlite();
const thread = new TaskRunner(new ShardReaders(options));

/** Runs a task; resolves to a ThreadReply. Failures are data in the reply. Large buffers are transferred, not copied. */
// oxlint-disable-next-line import/no-default-export -- Piscina calls the default export
export default function run(task: Task): unknown {
  const { answer, buffers } = thread.handle(task);
  const bytes = buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return bytes < LARGE ? answer : moved(answer, buffers);
}

/** Piscina is loaded with the first of these: that takes longer than half of the rest of the program. */
async function moved(answer: ThreadReply, buffers: readonly ArrayBuffer[]): Promise<unknown> {
  const piscina = await import('piscina');
  return piscina.move({ [piscina.transferableSymbol]: buffers, [piscina.valueSymbol]: answer });
}
