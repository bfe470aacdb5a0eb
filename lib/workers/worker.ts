/** Entry of a query thread. */
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { loadSqlite } from '../shards/load-sqlite.ts';
import { CONTROL, type Task, type ThreadOptions } from './messages.ts';
import { QueryThread } from './query-thread.ts';
import { ShardReaders } from './shard-readers.ts';
import { warmUp } from './warm-up.ts';

/** The first rounds are interpreted, then loops are compiled while others run. */
const WARM_UP_ROUNDS = 4;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the pool starts the thread with
const options = workerData as ThreadOptions;
loadSqlite();
const control = new Int32Array(options.control);
if (Atomics.load(control, CONTROL.warmUp) === 1) warmUp(WARM_UP_ROUNDS);
const thread = new QueryThread(new ShardReaders(options.cacheBytes), control);

/** Runs a task; resolves to its Reply. What goes wrong is in the reply, as data. Buffers are handed over, not copied. */
// oxlint-disable-next-line import/no-default-export -- Piscina calls the default export
export default function run(task: Task): unknown {
  const { reply, buffers } = thread.handle(task);
  if (buffers.length === 0) return reply;
  return move({ [transferableSymbol]: buffers, [valueSymbol]: reply });
}
