/**
 * Milliseconds on a clock that nobody sets, the same in all threads: for durations, deadlines and rate windows. `Date.now()` is
 * for times that are shown or stored; it jumps when somebody sets the machine's clock.
 */
export function monotonic(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}
