/**
 * Preloaded into a process (NODE_OPTIONS=--import=…), this lets its clock begin at WINDLASS_TEST_CLOCK, an ISO time, and go on from
 * there, in all its threads.
 */
const begin = process.env['WINDLASS_TEST_CLOCK'];
const at = process.env['WINDLASS_TEST_CLOCK_AT'];

if (begin !== undefined && at !== undefined) {
  const now = Date.now;
  const shift = Date.parse(begin) - Number(at);
  Date.now = () => now() + shift;
  globalThis.Date = new Proxy(Date, {
    construct: (target, args: unknown[]) => Reflect.construct(target, args.length === 0 ? [Date.now()] : args) as Date,
    apply: (target) => new target(target.now()).toString(),
  });
}

/** The environment of a process whose clock begins at `time`. */
export function clockFrom(time: string): Record<string, string> {
  return {
    NODE_OPTIONS: `--import=${import.meta.url}`,
    WINDLASS_TEST_CLOCK: time,
    WINDLASS_TEST_CLOCK_AT: String(Date.now()), // threads start later, and have the same clock
  };
}
