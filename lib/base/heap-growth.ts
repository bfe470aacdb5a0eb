/**
 * Where V8 puts objects, and how far heaps grow before it collects them. V8 takes stored code only under the flags with which it was
 * made: ours (load-program.ts), and also that of Node's own modules, which comes with Node and was made without any. Without it a
 * thread takes a fifth longer to start. So these flags are set once a service has started, and not while a further thread starts.
 */
import { setFlagsFromString } from 'node:v8';

/** Milliseconds that a thread may take to load its program. */
const START = 2_000;

const FLAGS_OF_THREADS = ['--min-semi-space-size=2', '--max-semi-space-size=2'];

/** Percent of its live objects by which an old generation grows until it is collected. */
const GROWTH = 200;

let started = false;
let timer: NodeJS.Timeout | null = null;

/**
 * Before any thread starts. The young generation of each thread's heap would grow to 48 MB while it is busy and keep them, but most
 * of what the service works on lies outside heaps. With halves of 2 MiB large groupings take as long as with those that grow; with
 * 1 MiB, where they begin by themselves, a quarter longer. The first thread's heap keeps the size that it began with.
 */
export function keepHeapsSmall(): void {
  for (const flag of FLAGS_OF_THREADS) setFlagsFromString(flag);
}

/**
 * Once the service has started.
 *
 * From now on old generations are collected when they have tripled. Each collection throws away the compiled code of classes of
 * which no object is alive, and between two queries that is nearly all of a query thread's: when they were collected after
 * growing by a quarter, which saved some megabytes, large queries took two to three times as long, since V8 never got done with
 * compiling. V8 itself lets small heaps grow about half as far.
 *
 * And new objects are always young. V8 puts those of a line whose first ones lived long among the old: once a few hundred
 * connections have each got a second listener, the lists of listeners of all requests, too. There they keep the request alive,
 * though it is garbage, until the whole heap is collected: a third of what a request took, copied twice, and 4 ms for each
 * collection of young objects instead of 1.2.
 */
export function useOwnFlags(): void {
  started = true;
  setFlags(true);
}

/** Call before starting a thread whose program has stored code. */
export function expectThread(): void {
  if (!started) return;
  if (timer !== null) clearTimeout(timer);
  setFlags(false);
  timer = setTimeout(() => setFlags(true), START).unref();
}

/** Ours, or those of V8. */
function setFlags(ours: boolean): void {
  setFlagsFromString(`--heap-growing-percent=${ours ? GROWTH : 0}`);
  setFlagsFromString(`--${ours ? 'no-' : ''}allocation-site-pretenuring`);
}
