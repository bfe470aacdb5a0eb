/** Answers of more groups than a page has, which stages that work on all rows must not get cut. */
import { expect } from 'chai';
import type { Answer } from '../oracle/table.ts';
import type { World } from '../oracle/world.ts';
import { compile } from './compile.ts';
import type { Subject } from './subject.ts';

/** Around the number from which kernels find the groups of a page before they make rows, and far above it. */
const SIZES = [255, 256, 257, 10_000];
const NOW = Date.UTC(2026, 2, 10, 12);
/** Every so many groups has two events, and one person with both. */
const EVERY = 3;
/** Events of a request. */
const BATCH = 2_000;

function worldOf(groups: number): World {
  const event = (g: number, minute: number): unknown => ({
    event_type: 'e',
    user_id: `u${g}`,
    time: NOW - 86_400_000 + minute * 60_000,
    event_properties: { g: String(g), n: g },
  });
  const events = Array.from({ length: groups }, (_, g) =>
    g % EVERY === 0 ? [event(g, 0), event(g, 1)] : [event(g, 0)],
  ).flat();
  const batches = Array.from({ length: Math.ceil(events.length / BATCH) }, (_, nth) =>
    events.slice(nth * BATCH, (nth + 1) * BATCH),
  );
  return batches.map((track) => ({ at: NOW - 3_600_000, track }));
}

interface Question {
  readonly q: string;
  /** How many rows are left of so many groups. */
  readonly left: (groups: number) => number;
}

const many = (groups: number): number => Math.ceil(groups / EVERY);

const QUESTIONS: readonly Question[] = [
  { q: 'e | count by event_properties.g | having count = 2', left: many },
  { q: 'e | count by event_properties.g | having count < 2', left: (groups) => groups - many(groups) },
  { q: 'e | count by event_properties.g | having count = 2 | top 7 | offset 1', left: () => 7 },
  { q: 'e | count by event_properties.g | having event_properties.g = "7" | sort count', left: () => 1 },
  { q: 'e | count by day, event_properties.g | having count = 2', left: many },
  { q: 'e | sum event_properties.n by hour, distinct_id | having sum > 6', left: (groups) => groups - 6 },
  { q: 'e | count by event_properties.g | share | having share > 0', left: (groups) => groups },
  { q: 'e | count by event_properties.g | compare previous | having count_previous = 0', left: (groups) => groups },
  { q: 'e | latest event_properties.n | having last_value >= 5', left: (groups) => groups - 5 },
  { q: 'e | latest event_properties.n | count by last_value | having last_value < 5', left: () => 5 },
  { q: 'e | list | having event_properties contains "\\"g\\":\\"5\\"" and event_type = "e"', left: () => 1 },
  { q: 'users | having user_id ~ "^u[12]$"', left: () => 2 },
  { q: 'users | count by user_id | having user_id = "u4"', left: () => 1 },
  { q: 'funnel e -> e | by event_properties.g | having step = 2 and users = 1', left: many },
  { q: 'paths from e | by event_properties.g | having users = 1 | limit 100000', left: (groups) => groups },
  { q: 'paths from e | having path = "e -> e"', left: () => 1 },
  { q: 'retention e | by day, event_properties.g | having users = 1', left: (groups) => groups },
  { q: 'attribution e | by event_properties.g | having conversions = 2', left: many },
  {
    q: 'attribution e | by event_properties.g | sum event_properties.n | having sum > 6',
    left: (groups) => groups - 6,
  },
];

/** Of which a page shows few rows. Several groups have the same value as its last row, in no order of their texts. */
const FIRST = [
  'e | count, avg event_properties.n, p50 event_properties.n, mode event_properties.g by event_properties.n bin 2',
  'e | count, unique distinct_id, stddev event_properties.n by event_properties.g, weekday',
  'e | sum event_properties.n, min event_properties.n, count by hour_of_day, event_properties.n bin 0.5',
  'e | avg event_properties.n, max event_properties.n, count by hour, event_properties.g',
  'e | count, sum event_properties.n by event_properties.g',
];

/** Asks at each size, as a page of three rows. */
export function itKeepsAllGroups(subjectOf: () => Subject): void {
  for (const groups of SIZES) {
    it(`leaves out rows of all of ${groups} groups, not of a page of them`, async () => {
      const world = worldOf(groups);
      const subject = subjectOf();
      await subject.load(world);
      for (const { q, left } of QUESTIONS) {
        const answer = async (limit: number): Promise<Answer> =>
          subject.query(compile(q, { now: NOW, timezone: null, limit, offset: 0 }, []));
        const [page, whole] = [await answer(3), await answer(20_000)];
        expect(whole.total, q).to.equal(left(groups));
        expect(whole.rows.length, q).to.equal(whole.total);
        expect(page, q).to.deep.equal({ ...whole, rows: whole.rows.slice(0, 3) });
      }
    });

    it(`finds those of a page among ${groups} groups, with their values`, async () => {
      const subject = subjectOf();
      await subject.load(worldOf(groups));
      for (const q of FIRST) {
        const rows = async (stages: string): Promise<Answer['rows']> =>
          (await subject.query(compile(`${q} | ${stages}`, { now: NOW, timezone: null, limit: 20_000, offset: 0 }, []))).rows; // prettier-ignore
        const all = await rows('having count > 0 | top 20000'); // a stage that works on all rows
        expect(await rows('top 7'), q).to.deep.equal(all.slice(0, 7));
        expect(await rows('top 5 | offset 2'), q).to.deep.equal(all.slice(2, 7));
      }
    });
  }
}
