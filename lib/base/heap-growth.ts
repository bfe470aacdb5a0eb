/**
 * Where V8 puts objects, and how far heaps grow before it collects them. V8 takes stored code only under the flags with which it was
 * made: ours (load-program.ts), and also that of Node's own modules, which comes with Node and was made without any. Without it a
 * thread takes a fifth longer to start. So these flags are set once a service has started, and not while a further thread starts.
 */
import { setFlagsFromString } from 'node:v8';

/** Milliseconds that a thread may take to load its program. */
const START = 2_000;

const FLAGS_OF_THREADS = ['--min-semi-space-size=2', '--max-semi-space-size=2'];

/** Shares of the growth, in percent: from there on a collection begins, when the thread is idle and in any case. */
const SOON = 60;
const AT_ONCE = 80;

const GROWTH = 25;

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
 * From now on the old generation is collected when it has grown by a quarter, not when it has doubled: with 10,000 projects that
 * come and go a writer takes 190 MB instead of 300, and stands still for collections of it as long in all, and for less at a time.
 *
 * And new objects are always young. V8 puts those of a line whose first ones lived long among the old: once a few hundred
 * connections have each got a second listener, the lists of listeners of all requests, too. There they keep the request alive,
 * though it is garbage, until the whole heap is collected: a third of what a request took, copied twice, and 4 ms for each
 * collection of young objects instead of 1.2.
 */
export function keepObjectsYoung(): void {
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

/**
 * Ours, or those of V8. By itself V8 begins a collection when less is left than the young generation holds, which a quarter of a
 * small heap always is: the first thread would collect its heap ten times a second while bodies come.
 */
function setFlags(ours: boolean): void {
  setFlagsFromString(`--heap-growing-percent=${ours ? GROWTH : 0}`);
  setFlagsFromString(`--incremental-marking-soft-trigger=${ours ? SOON : 0}`);
  setFlagsFromString(`--incremental-marking-hard-trigger=${ours ? AT_ONCE : 0}`);
  setFlagsFromString(`--${ours ? 'no-' : ''}allocation-site-pretenuring`);
}
