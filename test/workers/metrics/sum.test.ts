import { expect } from 'chai';
import fc from 'fast-check';
import { Budget } from '../../../lib/workers/budget.ts';
import { WideSums } from '../../../lib/workers/metrics/wide-sums.ts';
import type { World } from '../../oracle/world.ts';
import { exactQuotient } from '../../oracle/metrics.ts';
import { compile } from '../../support/compile.ts';
import { PartsSubject } from '../../support/parts-subject.ts';
import { runs, seed } from '../../properties/settings.ts';

const NOW = Date.parse('2026-03-30T12:00Z');

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const huge = fc.double({ min: -1.7e308, max: 1.7e308, noNaN: true });
const number = fc.oneof(huge, finite, fc.integer(), fc.constantFrom(1.7e308, -1.7e308, 1e308, -1e308, 5e-324, 0.1, 0));
/** Half of the numbers cancel each other, so that the rest shows. */
const numbers = fc
  .tuple(fc.array(number, { minLength: 1, maxLength: 30 }), fc.array(number, { maxLength: 20 }))
  .map(([some, others]) => [...some, ...others, ...others.map((other) => -other)]);
const shuffled = numbers.chain((all) => fc.shuffledSubarray(all, { minLength: all.length }));
/** Their sum is beyond the range of floats, in the middle of two but for the least number. */
const tieBrokenFarBelow = [1.5874033219205042e308, 5e-324, 1.7e308];

describe('sum and avg', () => {
  let subject: PartsSubject;
  before(() => {
    subject = new PartsSubject();
  });
  after(() => subject.close());

  async function answer(world: World, parts: number): Promise<unknown> {
    subject.parts = parts;
    const page = { now: NOW, timezone: null, limit: 100, offset: 0 };
    const whole = await subject.query(compile('e | sum event_properties.x, avg event_properties.x', page, world));
    const text = 'e | sum event_properties.x, avg event_properties.x by event_properties.g | sort event_properties.g';
    return [...whole.rows, ...(await subject.query(compile(text, page, world))).rows];
  }

  it('are the exact ones, whatever the order of rows and the split among parts', async function () {
    this.timeout(24 * 3600_000);
    const groups = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 70, maxLength: 70 });
    await fc.assert(
      fc.asyncProperty(shuffled, groups, fc.integer({ min: 1, max: 9 }), async (all, group, batch) => {
        const events = all.map((x, nth) => ({
          event_type: 'e',
          time: NOW - 5_000,
          event_properties: { x, g: group[nth] },
        }));
        subject.cutting = { turns: [][Symbol.iterator](), sealRows: batch, segmentRows: 4 };
        const world = events.map((event) => ({ at: NOW - 1_000, track: [event] }));
        await subject.load(world);
        const of = (own: readonly number[]): unknown[] => [exactQuotient(own, 1), exactQuotient(own, own.length)];
        const present = [0, 1, 2].filter((g) => all.some((_, nth) => group[nth] === g));
        const expected = [of(all), ...present.map((g) => [String(g), ...of(all.filter((_, nth) => group[nth] === g))])];
        for (const parts of [1, 3]) expect(await answer(world, parts), `in ${parts} parts`).to.deep.equal(expected);
      }),
      { numRuns: runs(30), ...seed(), examples: [[tieBrokenFarBelow, new Array<number>(70).fill(0), 1]] },
    );
  });
});

describe('wide sums', () => {
  it('are exact after more additions than a limb holds', () => {
    const sums = new WideSums(new Budget(2 ** 20));
    for (let nth = 0; nth < 2 ** 21; nth++) sums.add(nth % 2, nth % 2 === 0 ? 1 - 2 ** -53 : -Number.MAX_VALUE);
    expect(sums.quotient(0, 1)).to.equal(2 ** 20 - 2 ** -33);
    expect([sums.quotient(1, 1), sums.quotient(1, 2 ** 20)]).to.deep.equal([-Infinity, -Number.MAX_VALUE]);
  });

  it('follow their slots, and join those of other parts', () => {
    const [one, other] = [new WideSums(new Budget(2 ** 20)), new WideSums(new Budget(2 ** 20))];
    one.add(3, 1e308);
    one.add(5, 2);
    one.remap(Uint32Array.of(0, 0, 0, 7, 0, 1));
    other.add(0, 1e308);
    const part = one.pick(Uint32Array.of(2, 7, 1))!;
    expect([...part.groups]).to.deep.equal([1, 2]);
    other.merge(part, Uint32Array.of(9, 0, 4));
    expect([other.quotient(0, 2), other.quotient(4, 1), other.has(9)]).to.deep.equal([1e308, 2, false]);
    expect(new WideSums(new Budget(0)).pick(Uint32Array.of(0))).to.equal(null);
  });
});
