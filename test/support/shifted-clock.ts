/**
 * Preloaded into a process (NODE_OPTIONS=--import=…): starts the clock of all its threads at WINDLASS_TEST_CLOCK, an ISO time,
 * and lets it run from there.
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

/** The environment of a process whose clock starts at `time`. */
export function clockFrom(time: string): Record<string, string> {
  return {
    NODE_OPTIONS: `--import=${import.meta.url}`,
    WINDLASS_TEST_CLOCK: time,
    WINDLASS_TEST_CLOCK_AT: String(Date.now()), // threads start later, but share the clock
  };
}
