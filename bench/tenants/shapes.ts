/** Queries of many shapes, by a seed: what unrelated projects ask. */

const RANGES = ['2024-01-01 to 2024-03-31', '2024-02-01 to 2024-03-31', '2024-03-01 to 2024-03-31'];
const EVENTS = ['*', 'page_view', 'click', 'signup', 'purchase', 'search'];
const FIELDS = ['browser', 'country', 'path', 'plan'].map((name) => `event_properties.${name}`);
const NUMBERS = ['amount', 'duration_ms'].map((name) => `event_properties.${name}`);
const UNITS = ['day', 'week', 'month'];
const TESTS = [
  'event_properties.browser = "Chrome"',
  'event_properties.path contains "7"',
  'event_properties.plan != "free"',
  'event_properties.duration_ms > 100',
  'session.event_count > 3',
];

export class Shapes {
  #seed: number;

  constructor(seed: number) {
    this.#seed = seed >>> 0;
  }

  /** The next query. */
  next(): string {
    const [range, event] = [this.pick(RANGES), this.pick(EVENTS)];
    const where = this.below(3) === 0 ? ` | where ${this.pick(TESTS)}` : '';
    const rows = (rest: string): string => `${event} | from ${range}${where} | ${rest}`;
    const [field, number, unit] = [this.pick(FIELDS), this.pick(NUMBERS), this.pick(UNITS)];
    const makers: readonly (() => string)[] = [
      () => rows(`count by ${unit}`),
      () => rows(`unique by ${unit}`),
      () => rows(`count by ${field} | top 20`),
      () => rows(`count, unique by ${field}, ${unit} | limit 50`),
      () => rows(`sum ${number} by ${unit}`),
      () => rows(`p95 ${number} by ${field}`),
      () => rows(`avg ${number}, max ${number} by ${field} | limit 20`),
      () => rows(`mode ${field} by ${unit}`),
      () => rows('list | limit 20'),
      () => `funnel signup -> activate -> purchase | from ${range} | window 7 d`,
      () => `funnel page_view -> purchase | from ${range} | by ${field}`,
      () => `retention signup returning any | from ${range} | by week`,
      () => `lifecycle page_view | from ${range} | by week`,
      () => `stickiness page_view | from ${range}`,
      () => `sessions | from ${range} | by ${unit}`,
      () => `paths from signup | from ${range} | depth 4 | window 1 h | top 20`,
      () => `fields | from ${range}`,
    ];
    return this.pick(makers)();
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  /** A whole number from 0 to `limit` - 1, by a linear congruential generator (Numerical Recipes). */
  below(limit: number): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#seed / 2 ** 32) * limit);
  }
}
