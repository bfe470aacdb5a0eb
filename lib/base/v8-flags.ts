/**
 * Where V8 puts objects, how far heaps grow before it collects them, and how soon it compiles for speed. V8 takes stored code, ours
 * (load-program.ts) and that of Node's own modules, only under the flags with which it was made, and without it a thread takes a
 * fifth longer to start. So these flags are set once a service has started, and not while a further thread starts.
 */
import { setFlagsFromString } from 'node:v8';

/** Milliseconds that a thread may take to load its program before it is no longer waited for, and between two looks. */
const START = 2_000;
const POLL = 10;

const FLAGS_OF_THREADS = ['--min-semi-space-size=2', '--max-semi-space-size=2'];

interface Flag {
  readonly ours: string;
  /** V8's own, in every line of Node that a service may run on. */
  readonly builtIn: string;
}

/** Explained at `useOwnFlags`. */
const FLAGS_OF_HEAPS: readonly Flag[] = [
  { ours: '--heap-growing-percent=200', builtIn: '--heap-growing-percent=0' },
  { ours: '--no-allocation-site-pretenuring', builtIn: '--allocation-site-pretenuring' },
  { ours: '--no-parallel-scavenge', builtIn: '--parallel-scavenge' },
  { ours: '--no-concurrent-array-buffer-sweeping', builtIn: '--concurrent-array-buffer-sweeping' },
];
/** Explained at `compileSooner`. */
const FLAGS_OF_COMPILERS: readonly Flag[] = [
  { ours: '--invocation-count-for-maglev=30', builtIn: '--invocation-count-for-maglev=400' },
  { ours: '--minimum-invocations-after-ic-update=30', builtIn: '--minimum-invocations-after-ic-update=500' },
];

interface StartingThread {
  readonly isUp: () => boolean;
  readonly until: number;
}

let started = false;
let isAsked = false;
let starting: readonly StartingThread[] = [];
let timer: NodeJS.Timeout | null = null;

/**
 * Before any thread starts. The young generation of each thread's heap would grow to 48 MB and keep them. With halves of 2 MiB large
 * groupings take as long; with 1 MiB, V8's first size, a quarter longer. The first thread's heap keeps the size that it began with.
 */
export function keepHeapsSmall(): void {
  for (const flag of FLAGS_OF_THREADS) setFlagsFromString(flag);
}

/**
 * Once the service has started.
 *
 * Old generations are collected when they have tripled: each collection throws away the compiled code of classes without a live
 * object, nearly all of a query thread's between two queries. Collected after growing by a quarter, which saved some megabytes, V8
 * never got done with compiling, and large queries took two to three times as long.
 *
 * New objects are always young. V8 puts those of a line whose first ones lived long among the old; the lists of listeners of all
 * requests, once a few hundred connections have a second listener, and there they keep the request alive until the whole heap is
 * collected: 4 ms for each collection of young objects instead of 1.2.
 *
 * Each thread collects its young objects alone, as nearly all of the 2 MiB are garbage: waking V8's helpers took a twentieth of all
 * processor time of a stream of events. It frees buffers itself, too: left to helpers, those of three and more collections are in
 * memory at a time.
 */
export function useOwnFlags(): void {
  started = true;
  setFlags(true);
}

/**
 * When a question comes, before it is read; the first one counts.
 *
 * V8 compiles a function for speed after 400 calls, and not before 500 since it last saw an object of a new kind. With 30 of both,
 * and only of both, questions 100 to 200 of a new process take 0.87 of the time, and later ones 0.95. It costs the first one 3 ms of
 * 13; after it is too late, since V8 has set its counters. Earlier, V8's helpers take half of the processors from the first hundred
 * requests: with one event a request over 300 projects the 99th percentile is 47 ms instead of 12.
 */
export function compileSooner(): void {
  if (isAsked || !started) return;
  isAsked = true;
  if (timer === null) setFlags(true);
}

/** Call before starting a thread whose program has stored code. */
export function expectThread(isUp: () => boolean): void {
  if (!started) return;
  starting = [...starting, { isUp, until: performance.now() + START }];
  setFlags(false);
  timer ??= setInterval(look, POLL).unref();
}

/** Sets ours again once all threads are up. */
function look(): void {
  const now = performance.now();
  starting = starting.filter(({ isUp, until }) => !isUp() && now < until);
  if (starting.length > 0 || timer === null) return;
  clearInterval(timer);
  timer = null;
  setFlags(true);
}

/** Ours, or those of V8. */
function setFlags(ours: boolean): void {
  const flags = isAsked ? [...FLAGS_OF_HEAPS, ...FLAGS_OF_COMPILERS] : FLAGS_OF_HEAPS;
  for (const flag of flags) setFlagsFromString(ours ? flag.ours : flag.builtIn);
}
