/** Entry of a query thread. */
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { yieldToOthers } from '../../base/thread-priority.ts';
import { loadSqlite } from '../../shards/file/load-sqlite.ts';
import type { Task, ThreadOptions } from './protocol.ts';
import { TaskRunner } from './task-runner.ts';
import { ShardReaders } from './shard-readers.ts';

/** Steps by which large queries are less urgent: they still progress on a machine that other programs use too. */
const YIELDED = 5;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the pool starts the thread with
const options = workerData as ThreadOptions;
if (options.yields) yieldToOthers(YIELDED);
loadSqlite();
const control = new Int32Array(options.control);
const thread = new TaskRunner(new ShardReaders(options), control);

/** Runs a task; resolves to its Reply. Failures are data in the reply. Buffers are transferred, not copied. */
// oxlint-disable-next-line import/no-default-export -- Piscina calls the default export
export default function run(task: Task): unknown {
  const { reply, buffers } = thread.handle(task);
  if (buffers.length === 0) return reply;
  return move({ [transferableSymbol]: buffers, [valueSymbol]: reply });
}
