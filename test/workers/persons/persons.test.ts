import { expect } from 'chai';
import fc from 'fast-check';
import type { Duration } from '../../../lib/dsl/time/units.ts';
import { addDuration } from '../../../lib/dsl/time/duration.ts';
import { findZone } from '../../../lib/dsl/time/zone.ts';
import { Budget } from '../../../lib/workers/budget.ts';
import { LifecycleStates } from '../../../lib/workers/kernels/presence/lifecycle.ts';
import { BucketSweep } from '../../../lib/workers/persons/bucket-sweep.ts';
import { inOrderOfTime } from '../../../lib/workers/persons/in-order.ts';
import { joinMasks, PersonMasks, type MasksOfPersons } from '../../../lib/workers/persons/person-masks.ts';
import { Window } from '../../../lib/workers/persons/window.ts';
import { rowContext } from '../../support/row-context.ts';

describe('a window', () => {
  const zones = ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'Pacific/Apia'].map((name) => findZone(name)!);
  const duration: fc.Arbitrary<Duration> = fc.record({
    count: fc.integer({ min: 1, max: 30 }),
    unit: fc.constantFrom('m', 'h', 'd', 'w', 'mo', 'q', 'y'),
  });
  const start = fc.integer({ min: Date.parse('2010-01-01'), max: Date.parse('2030-01-01') });

  it('ends where the calendar of the zone says, its end included', () => {
    fc.assert(
      fc.property(duration, fc.constantFrom(...zones), start, (length, zone, from) => {
        const window = new Window(length, zone);
        const end = addDuration(from, length, zone, 1);
        expect([end - 1, end, end + 1].map((time) => window.holds(from, time))).to.deep.equal([true, true, false]);
      }),
    );
  });
});

describe('a sweep', () => {
  const starts = Float64Array.from([0, 10, 20, 30]);
  const span = (bucket: number) => ({ persons: new Uint32Array(0), rows: null, spans: [{ bucket, from: 0, to: 1 }] });

  it('visits buckets in their order, each once, when no more rows of it come', () => {
    const visited: string[] = [];
    const sweep = new BucketSweep<string>(starts, new Budget(1_000), (rows) => {
      visited.push(`${rows[0]!.spans[0]!.bucket}: ${rows.map(({ of }) => of).join(' ')}`);
    });
    sweep.advance(5);
    sweep.add(span(0), 'a');
    sweep.add(span(2), 'b');
    sweep.advance(9);
    sweep.add(span(0), 'c');
    expect(visited).to.deep.equal([]);
    sweep.advance(25);
    expect(visited).to.deep.equal(['0: a c']);
    sweep.add(span(3), 'd');
    sweep.add(span(2), 'e');
    sweep.finish();
    expect(visited).to.deep.equal(['0: a c', '2: b e', '3: d']);
  });

  it('gives back the memory of lists once their rows were visited', () => {
    const budget = new Budget(1_000);
    const sweep = new BucketSweep<null>(starts, budget, () => undefined);
    sweep.add({ ...span(1), rows: new Uint32Array(5), spans: [{ bucket: 1, from: 0, to: 5 }] }, null);
    expect(budget.held).to.equal(20);
    sweep.finish();
    expect(budget.held).to.equal(0);
  });
});

describe('the order of segments', () => {
  const segment = (first: number, last: number) => ({ id: first, rows: 1, first, last });
  const range = { from: 100, to: 200 };

  it('is that of time where none begins before another one ends, or with its last millisecond', () => {
    expect(inOrderOfTime([segment(151, 180), segment(100, 150)], range)).to.equal(true);
    expect(inOrderOfTime([segment(150, 180), segment(100, 150)], range)).to.equal(false);
    expect(inOrderOfTime([segment(100, 190), segment(120, 130)], range)).to.equal(false);
  });

  it('does not care for segments beside the range', () => {
    expect(inOrderOfTime([segment(10, 60), segment(50, 99), segment(200, 300), segment(250, 260)], range)).to.equal(
      true,
    );
  });
});

describe('masks of persons', () => {
  const persons = Uint32Array.from([1, 2, 0, 3, 2]);
  const spans = (...buckets: number[]) => buckets.map((bucket, at) => ({ bucket, from: at, to: at + 1 }));
  const packed = (masks: PersonMasks): MasksOfPersons => ({
    persons: masks.persons(),
    words: masks.of(masks.persons()),
  });
  const isSet = ({ persons: found, words }: MasksOfPersons, person: number, bucket: number): boolean =>
    ((words[bucket >>> 5]![found.indexOf(person)]! >>> (bucket & 31)) & 1) === 1;

  for (const buckets of [3, 16, 17, 32, 33, 64, 100]) {
    it(`hold a bit for each of ${buckets} buckets`, () => {
      const added = new PersonMasks(6, buckets, rowContext());
      const [first, last] = [0, buckets - 1];
      added.add({ persons, rows: null, spans: spans(first, first, last, last, last) });
      const masks = packed(added);
      expect([...masks.persons], 'neither nobody nor who did nothing').to.deep.equal([1, 2, 3]);
      const found = [1, 2, 3].flatMap((person) =>
        Array.from({ length: buckets }, (_, bucket) => (isSet(masks, person, bucket) ? `${person} in ${bucket}` : [])),
      );
      expect(found.flat()).to.deep.equal(['1 in 0', '2 in 0', `2 in ${last}`, `3 in ${last}`]);
    });
  }

  for (const [size, buckets] of [
    [2, 16],
    [4, 40],
  ] as const) {
    // prettier-ignore
    it(`of ${buckets} buckets are joined, whoever the parts know`, () => {
      const context = rowContext();
      const parts = [
        { of: [1, 2], in: [buckets - 1, 5] },
        { of: [4, 2], in: [0, buckets - 1] },
        { of: [], in: [] },
      ].map((part) => {
        const masks = new PersonMasks(6, buckets, context);
        masks.add({ persons: Uint32Array.from(part.of), rows: null, spans: spans(...part.in) });
        return packed(masks);
      });
      const words = joinMasks(parts, context);
      expect(words[0]!.BYTES_PER_ELEMENT).to.equal(size);
      const last = (buckets - 1) % 32;
      const masks = buckets > 32 ? [[0, 32, 1], [1 << last, 1 << last, 0]] : [[1 << last, (1 << last) | 32, 1]]; // prettier-ignore
      expect(words.map((word) => [...word])).to.deep.equal(masks);
      expect(joinMasks(parts.slice(0, 1), context), 'of one part').to.equal(parts[0]!.words);
    });
  }

  it('of a word of days count its last bit as well', () => {
    const context = rowContext();
    const masks = new PersonMasks(3, 64, context);
    masks.add({ persons: Uint32Array.from([1, 1]), rows: null, spans: spans(31, 63) });
    expect([...masks.persons()]).to.deep.equal([1]);
  });

  it('are taken from the budget before they are made', () => {
    expect(() => new PersonMasks(1_000_000, 100, rowContext('* | count', 2 ** 20))).to.throw(
      /more than 1 MiB of memory/,
    );
  });
});

describe('states of a lifecycle', () => {
  /** The states of a person who was active in these buckets. */
  function states(active: readonly number[], buckets: number): number[][] {
    const counted = new LifecycleStates(buckets);
    let [before, ever] = [0, false];
    for (let word = 0; word * 32 < buckets; word++) {
      const mask = active.filter((one) => one >>> 5 === word).reduce((bits, one) => bits | (1 << one), 0);
      counted.addWord(word, mask, { before, ever, persons: 1 });
      before = mask >>> 31;
      ever ||= mask !== 0;
    }
    return Array.from({ length: buckets }, (_, bucket) => counted.of(bucket));
  }

  it('are new, returning, resurrected and dormant as each bucket by itself says, over words of masks', () => {
    const person = fc.uniqueArray(fc.integer({ min: 0, max: 99 }), { maxLength: 60 });
    fc.assert(
      fc.property(person, (active) => {
        const expected = Array.from({ length: 100 }, (_, bucket) => {
          const [now, before] = [active.includes(bucket), active.includes(bucket - 1)];
          const earlier = active.some((one) => one < bucket);
          return [now && !earlier, now && before, now && !before && earlier, !now && before].map(Number);
        });
        expect(states(active, 100)).to.deep.equal(expected);
      }),
    );
  });
});
