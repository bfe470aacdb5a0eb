/**
 * Memory that was freed goes back to the system. Arrays of megabytes come and go with every seal and compaction; glibc maps them apart
 * at first, but raises the size from which it does so with each that is freed, up to 32 MB, and what lies below stays with the
 * process: after a load of 3 million events 790 MB instead of 410. It reads its settings when a program begins.
 */
const SETTINGS = {
  MALLOC_MMAP_THRESHOLD_: '262144', // bytes; larger arrays are mapped apart
  MALLOC_TRIM_THRESHOLD_: '1048576', // bytes that may lie free at the end of the heap
};

/**
 * Begins the program anew with them, as the same process, which takes some 40 ms; nothing may have been done before. Where they are
 * set already, where a parent speaks to the process, and where Node cannot, it goes on as it is.
 */
export function giveFreedMemoryBack(): void {
  const { env, platform, channel, execPath, execArgv, argv } = process;
  if (platform !== 'linux' || channel !== undefined || typeof process.execve !== 'function') return;
  if (Object.keys(SETTINGS).some((name) => env[name] !== undefined)) return;
  process.execve(execPath, [argv[0] ?? execPath, ...execArgv, ...argv.slice(1)], { ...env, ...SETTINGS });
}
