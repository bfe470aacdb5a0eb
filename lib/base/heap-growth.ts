/**
 * How far heaps grow before V8 collects them. V8 takes stored code only under the flags with which it was made: ours
 * (load-program.ts), and also that of Node's own modules, which comes with Node and was made without any. Without it a thread takes
 * a fifth longer to start. So this flag is set once a service has started, and not while a further thread starts.
 */
import { setFlagsFromString } from 'node:v8';

/** Milliseconds that a thread may take to load its program. */
const START = 2_000;

const FLAGS_OF_THREADS = ['--min-semi-space-size=2', '--max-semi-space-size=2'];

/** Shares of the growth, in percent: from there on a collection begins, when the thread is idle and in any case. */
const SOON = 60;
const AT_ONCE = 80;

let slow = false;
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
 * From now on the old generation is collected when it has grown by a quarter, not when it has doubled: with 10,000 projects that
 * come and go a writer takes 190 MB instead of 300, and stands still for collections of it as long in all, and for less at a time.
 */
export function growHeapsSlowly(): void {
  slow = true;
  setGrowth(25);
}

/** Call before starting a thread whose program has stored code. */
export function expectThread(): void {
  if (!slow) return;
  if (timer !== null) clearTimeout(timer);
  setGrowth(0);
  timer = setTimeout(() => setGrowth(25), START).unref();
}

/**
 * Percent; 0: as V8 decides. By itself V8 begins a collection when less is left than the young generation holds, which a quarter of
 * a small heap always is: the first thread would collect its heap ten times a second while bodies come.
 */
function setGrowth(percent: number): void {
  const isSet = percent > 0;
  setFlagsFromString(`--heap-growing-percent=${percent}`);
  setFlagsFromString(`--incremental-marking-soft-trigger=${isSet ? SOON : 0}`);
  setFlagsFromString(`--incremental-marking-hard-trigger=${isSet ? AT_ONCE : 0}`);
}
