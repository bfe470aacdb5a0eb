/**
 * Milliseconds on a clock that nobody sets, the same in all threads: for durations, deadlines and windows of rates. `Date.now()`
 * is for what is told or stored, and jumps when somebody sets the machine's clock.
 */
export function monotonic(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}
