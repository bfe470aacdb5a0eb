/** Entry of a query thread. */
import { setPriority } from 'node:os';
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { warmUpReading } from '../shards/warm-up.ts';
import { CONTROL, type Task, type ThreadOptions } from './messages.ts';
import { QueryThread } from './query-thread.ts';
import { ShardReaders } from './shard-readers.ts';
import { warmUp } from './warm-up.ts';

/** The first rounds are interpreted, then loops are compiled while others run. */
const WARM_UP_ROUNDS = 6;
/** Enough that a thread of usual priority does not give way to this one when it wakes it; far from starving. */
const NICENESS = 3;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the pool starts the thread with
const options = workerData as ThreadOptions;
// The thread that serves requests wakes this one, and must not wait for it when they share a core: it has another thread to
// wake, and events to take. Elsewhere than on Linux the priority would be that of the whole process.
if (process.platform === 'linux') setPriority(NICENESS);
warmUpReading();
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
