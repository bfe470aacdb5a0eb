import { expect } from 'chai';
import fc from 'fast-check';
import type { World } from '../../oracle/world.ts';
import { deviation, exactQuotient } from '../../oracle/metrics.ts';
import { compile } from '../../support/compile.ts';
import { PartsSubject } from '../../support/parts-subject.ts';
import { runs, replay } from '../../properties/settings.ts';

const NOW = Date.parse('2026-03-30T12:00Z');

/** Squares of smaller numbers are 0. */
const SQUARE_ROOT_OF_THE_LEAST = 1e-160;

/** Amounts of money, fractions, and measurements of very different sizes. */
const number = fc.oneof(
  fc.integer({ min: -9_999_999, max: 9_999_999 }).map((cents) => cents / 100),
  fc.double({ min: -1e12, max: 1e12, noNaN: true }),
  fc.double({ min: -1, max: 1, noNaN: true }),
);
const numbers = fc.array(number, { minLength: 1, maxLength: 50 });

describe('sum, avg and stddev', () => {
  let subject: PartsSubject;
  before(() => {
    subject = new PartsSubject();
  });
  after(() => subject.close());

  async function answer(world: World, parts: number): Promise<readonly unknown[]> {
    subject.parts = parts;
    const page = { now: NOW, timezone: null, limit: 100, offset: 0 };
    const metrics = ['sum', 'avg', 'stddev'].map((name) => `${name} event_properties.x`).join(', ');
    const whole = await subject.query(compile(`e | ${metrics}`, page, world));
    const grouped = await subject.query(
      compile(`e | ${metrics} by event_properties.g | sort event_properties.g`, page, world),
    );
    return [...whole.rows.flat(), ...grouped.rows.flatMap((row) => row.slice(1))];
  }

  it('are within 1e-12 of what arithmetic without rounding gives, whatever the order of rows and the split', async function () {
    this.timeout(24 * 3600_000);
    const groups = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 50, maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(numbers, groups, fc.integer({ min: 1, max: 9 }), async (all, group, batch) => {
        const events = all.map((x, nth) => ({
          event_type: 'e',
          time: NOW - 5_000,
          event_properties: { x, g: group[nth] },
        }));
        subject.cutting = { turns: [][Symbol.iterator](), sealRows: batch, segmentRows: 4 };
        const world = events.map((event) => ({ at: NOW - 1_000, track: [event] }));
        await subject.load(world);
        const of = (own: readonly number[]): [number | null, number][] => {
          const size = own.reduce((sum, x) => sum + Math.abs(x), 0);
          return [
            [exactQuotient(own, 1), size],
            [exactQuotient(own, own.length), size],
            [deviation(own), size],
          ];
        };
        const present = [0, 1, 2].filter((g) => all.some((_, nth) => group[nth] === g));
        const expected = [...of(all), ...present.flatMap((g) => of(all.filter((_, nth) => group[nth] === g)))];
        for (const parts of [1, 3]) {
          const found = await answer(world, parts);
          expect(found.length, `in ${parts} parts`).to.equal(expected.length);
          for (const [nth, [exact, size]] of expected.entries()) {
            if (exact === null) expect(found[nth]).to.equal(null);
            else
              expect(found[nth], `in ${parts} parts, value ${nth}`).to.be.closeTo(
                exact,
                1e-12 * size + SQUARE_ROOT_OF_THE_LEAST,
              );
          }
        }
      }),
      { numRuns: runs(30), ...replay() },
    );
  });
});
