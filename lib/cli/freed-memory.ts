import { setFlagsFromString } from 'node:v8';

/**
 * Returns freed memory to the system. Arrays of megabytes come and go with every seal and compaction; glibc maps them separately
 * at first, but raises the threshold for this with each one freed, up to 32 MB, and keeps what is below it: after a load of 3
 * million events the process takes 790 MB instead of 410. glibc reads its settings when a program starts.
 */
const SETTINGS = {
  MALLOC_MMAP_THRESHOLD_: '262144', // bytes; larger arrays are mapped separately
  MALLOC_TRIM_THRESHOLD_: '1048576', // bytes that may stay free at the end of the heap
  MALLOC_ARENA_MAX: '2', // else each thread has an arena, and what one has freed another cannot use
};

/**
 * Megabytes, for the first thread's heap. It is not collected as a whole until the old generation reaches this size: otherwise
 * that would happen at the first query. Half of the young generation holds the data of all requests being answered: if smaller,
 * each collection copies them, which took a third of a request's processor time.
 */
const FIRST_THREAD = ['--initial-old-space-size=64', '--min-semi-space-size=8', '--max-semi-space-size=8'];

/**
 * Restarts the program with them, as the same process, which takes some 40 ms; it must run before anything else. Keeps those that
 * are set already, and does nothing if the first of them is, if a parent talks to the process, or if Node cannot do it.
 */
export function giveFreedMemoryBack(): void {
  const { env, platform, channel, execPath, execArgv, argv } = process;
  if (platform !== 'linux' || channel !== undefined || typeof process.execve !== 'function') return;
  if (env['MALLOC_MMAP_THRESHOLD_'] !== undefined) return;
  const args = [argv[0] ?? execPath, ...execArgv, ...FIRST_THREAD, ...argv.slice(1)];
  process.execve(execPath, args, { ...SETTINGS, ...env });
}

/**
 * Before any thread starts. The young generation of each thread's heap would grow to 48 MB while it is busy and keep them, but most
 * of what the service works on lies outside heaps. With halves of 2 MiB large groupings take as long as with those that grow; with
 * 1 MiB, where they begin by themselves, a quarter longer. From here on all flags that count for stored code have V8's own values
 * (lib/base/heap-growth.ts): the first thread's heap keeps the size that it began with.
 */
export function keepHeapsSmall(): void {
  for (const flag of ['--min-semi-space-size=2', '--max-semi-space-size=2', '--initial-old-space-size=0'])
    setFlagsFromString(flag);
}
