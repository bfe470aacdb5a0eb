import { expect } from 'chai';
import fc from 'fast-check';
import { memoryAt, floatsAt, give, halvesAt, primitives, take, wordsAt } from '../../../lib/primitives/memory.ts';

const PERSONS = 12;
const rows = fc.array(fc.record({ person: fc.nat(PERSONS - 1), time: fc.nat(4), arrival: fc.nat(9) }), {
  maxLength: 60,
});
type Rows = readonly { readonly person: number; readonly time: number; readonly arrival: number }[];

/** Arrays of the rows, and three states of 8 bytes per person, all 0. */
function laidOut(of: Rows) {
  const own = { persons: take(of.length * 4), times: take(of.length * 8), arrivals: take(of.length * 8) };
  wordsAt(own.persons, of.length).set(of.map(({ person }) => person));
  floatsAt(own.times, of.length).set(of.map(({ time }) => time));
  floatsAt(own.arrivals, of.length).set(of.map(({ arrival }) => arrival));
  const [first, second, third] = [0, 1, 2].map(() => take(PERSONS * 8)) as [number, number, number];
  for (const state of [first, second, third]) memoryAt(state, PERSONS * 8).fill(0);
  const out = take((of.length + 1) * 8);
  const free = (): void => [...Object.values(own), first, second, third, out].forEach(give);
  return { ...own, count: of.length, first, second, third, out, free };
}

describe('primitives over persons', () => {
  it('mark bits of persons, in masks of two and of four bytes', () => {
    fc.assert(
      fc.property(rows, fc.constantFrom(2 as const, 4 as const), fc.nat(15), (of, size, shift) => {
        const { persons, count, first, free } = laidOut(of);
        primitives.markPersons(persons, count, 1 << shift, first, size);
        const masks = [...(size === 2 ? halvesAt(first, PERSONS) : wordsAt(first, PERSONS))];
        free();
        expect(masks).to.deep.equal(
          Array.from({ length: PERSONS }, (_, p) => (of.some(({ person }) => person === p) ? 1 << shift : 0)),
        );
      }),
    );
  });

  it('keep the earliest cohort, by its number and by the order of events', () => {
    fc.assert(
      fc.property(fc.array(rows, { maxLength: 4 }), fc.constantFrom(1 as const, 4 as const), (buckets, size) => {
        const plain = new Map<number, { cohort: number; time: number; arrival: number }>();
        const [ordered, numbered] = [laidOut([]), laidOut([])];
        for (const [at, of] of buckets.entries()) {
          const own = laidOut(of);
          const cohort = ((at * 5) % 7) + 1;
          const kept: number[] = [];
          for (const [place, { person, time, arrival }] of of.entries()) {
            const known = plain.get(person);
            if (known !== undefined && (time > known.time || (time === known.time && arrival >= known.arrival)))
              continue;
            plain.set(person, { cohort, time, arrival });
            kept.push(place);
          }
          const { persons, times, arrivals, count, out } = own;
          const { first, second, third } = ordered;
          const length = primitives.earlierStarts(
            ...([persons, times, arrivals, count, cohort, first, size, second, third, out] as const),
          );
          expect([...wordsAt(out, length)]).to.deep.equal(kept);
          primitives.earliestCohorts(persons, count, cohort, numbered.first, size);
          own.free();
        }
        const read = (at: number): number[] => [...(size === 1 ? memoryAt(at, PERSONS) : wordsAt(at, PERSONS))];
        const all = Array.from({ length: PERSONS }, (_, person) => plain.get(person));
        expect(read(ordered.first)).to.deep.equal(all.map((one) => one?.cohort ?? 0));
        expect([...floatsAt(ordered.second, PERSONS)]).to.deep.equal(all.map((one) => one?.time ?? 0));
        expect([...floatsAt(ordered.third, PERSONS)]).to.deep.equal(all.map((one) => one?.arrival ?? 0));
        const least = (person: number): number =>
          Math.min(...buckets.flatMap((of, at) => (of.some((row) => row.person === person) ? ((at * 5) % 7) + 1 : [])));
        expect(read(numbered.first)).to.deep.equal(
          Array.from({ length: PERSONS }, (_, person) => (least(person) === Infinity ? 0 : least(person))),
        );
        for (const one of [ordered, numbered]) one.free();
      }),
    );
  });

  it('mark the periods after cohorts, and leave out who is before the first start', () => {
    const cohorts = fc.array(fc.nat(9), { minLength: PERSONS, maxLength: PERSONS });
    fc.assert(
      fc.property(rows, cohorts, fc.nat(12), fc.constantFrom(1 as const, 4 as const), (of, known, bucket, size) => {
        const { persons, times, arrivals, count, first, second, third, out, free } = laidOut(of);
        (size === 1 ? memoryAt(first, PERSONS) : wordsAt(first, PERSONS)).set(known);
        primitives.markPeriods(persons, count, bucket, first, size, 4, second);
        const masks = [...wordsAt(second, PERSONS)];
        const expected = known.map((cohort, p) => {
          const there = cohort !== 0 && bucket >= cohort && bucket - cohort <= 4;
          return there && of.some(({ person }) => person === p) ? 1 << (bucket - cohort) : 0;
        });
        floatsAt(second, PERSONS).set(known.map((cohort) => cohort % 4));
        floatsAt(third, PERSONS).set(known);
        primitives.notBefore(persons, times, arrivals, count, second, third, out);
        const after = [...wordsAt(out, count)];
        free();
        expect(masks).to.deep.equal(expected);
        expect(after).to.deep.equal(
          of.map(({ person, time, arrival }) => {
            const [startTime, startArrival] = [known[person]! % 4, known[person]!];
            return time > startTime || (time === startTime && arrival >= startArrival) ? person : 0;
          }),
        );
      }),
    );
  });

  it('count who is new, returns or comes back, and on how many days', () => {
    fc.assert(
      fc.property(fc.array(rows, { maxLength: 5 }), (buckets) => {
        const state = laidOut([]);
        const days = laidOut([]);
        const [last, counted] = [new Map<number, number>(), new Map<number, number>()];
        for (const [at, of] of buckets.entries()) {
          const bucket = at + 1;
          const expected = [0, 0, 0];
          for (const person of new Set(of.map((row) => row.person))) {
            counted.set(person, (counted.get(person) ?? 0) + 1);
            if (person === 0) continue;
            const was = last.get(person) ?? 0;
            expected[was === 0 ? 0 : was === bucket - 1 ? 1 : 2]!++;
            last.set(person, bucket);
          }
          const { persons, count, first, free } = laidOut(of);
          primitives.countReturns(persons, count, bucket, state.first, first);
          expect([...wordsAt(first, 3)]).to.deep.equal(expected);
          primitives.countBuckets(persons, count, bucket, days.first, days.second);
          free();
        }
        expect([...wordsAt(days.second, PERSONS)]).to.deep.equal(
          Array.from({ length: PERSONS }, (_, person) => counted.get(person) ?? 0),
        );
        for (const one of [state, days]) one.free();
      }),
    );
  });

  it('pick the values of somebody', () => {
    fc.assert(
      fc.property(rows, (of) => {
        const { persons, times, count, out, free } = laidOut(of);
        const found = [...floatsAt(out, primitives.pickSome(persons, count, times, 8, out))];
        const own = [...wordsAt(out, primitives.pickSome(persons, count, persons, 4, out))];
        free();
        const somebody = of.filter(({ person }) => person !== 0);
        expect(found).to.deep.equal(somebody.map(({ time }) => time));
        expect(own).to.deep.equal(somebody.map(({ person }) => person));
      }),
    );
  });
});

describe('primitives over sessions', () => {
  const LOW = 3;
  const keyed = fc.array(
    fc.record({
      key: fc.oneof(fc.constant(0), fc.integer({ min: LOW, max: LOW + 8 })),
      has: fc.boolean(),
      device: fc.nat(3),
    }),
    { maxLength: 60 },
  );

  it('form them of keys, of all rows or of those of a list, and find the first and the last row with a value', () => {
    fc.assert(
      fc.property(keyed, fc.boolean(), fc.nat(1_000), (of, listed, first) => {
        const count = of.length;
        const [keys, rows, mask, out] = [4, 4, 1, 4].map((size) => take((count + 1) * size)) as [
          ...[number, number, number, number],
        ];
        const state = Array.from({ length: 4 }, () => take(10 * 4)) as [number, number, number, number];
        for (const at of state) wordsAt(at, 10).fill(0);
        const [counts, lasts, firsts, latest] = state;
        wordsAt(counts, 1)[0] = 1;
        wordsAt(keys, count).set(of.map(({ key }) => key));
        memoryAt(mask, count).set(of.map(({ has }) => Number(has)));
        const rowOf = (at: number): number => (listed ? at * 3 + 5 : first + at);
        wordsAt(rows, count).set(of.map((_, at) => rowOf(at)));
        const list = listed ? rows : 0;
        const length = primitives.formSessions(keys, LOW, list, first, count, counts, lasts, out);
        primitives.findInSessions(keys, LOW, list, first, count, mask, 0, firsts);
        primitives.findInSessions(keys, LOW, list, first, count, mask, 1, latest);
        const numbers = [...new Set(of.flatMap(({ key }) => (key === 0 ? [] : [key])))];
        const rowsOf = (key: number): number[] => of.flatMap((row, at) => (row.key === key ? [rowOf(at)] : []));
        const having = (key: number): number[] =>
          rowsOf(key).filter((row) => of.some(({ has }, at) => has && rowOf(at) === row));
        expect([...wordsAt(out, length)]).to.deep.equal(numbers.map((key) => rowsOf(key)[0]));
        for (const key of numbers) {
          const at = key - LOW + 1;
          const found = [counts, lasts, firsts, latest].map((address) => wordsAt(address, 10)[at]);
          const [own, valued] = [rowsOf(key), having(key)];
          expect(found).to.deep.equal([own.length, own.at(-1), (valued[0] ?? -1) + 1, (valued.at(-1) ?? -1) + 1]);
        }
        for (const address of [keys, rows, mask, out, ...state]) give(address);
      }),
    );
  });

  it('find the first device of each, and whether it has several', () => {
    fc.assert(
      fc.property(keyed, fc.constantFrom(1, 2, 4), (of, size) => {
        const count = of.length;
        const [keys, devices] = [take((count + 1) * 4), take((count + 1) * 4)];
        const state = [take(10 * 4), take(10 * 4)] as const;
        for (const at of state) wordsAt(at, 10).fill(0);
        wordsAt(keys, count).set(of.map(({ key }) => key));
        const view = { 1: memoryAt, 2: halvesAt, 4: wordsAt }[size];
        view(devices, count).set(of.map(({ device }) => device));
        primitives.findDevices(keys, LOW, devices, size, count, ...state);
        for (const key of new Set(of.flatMap((row) => (row.key === 0 ? [] : [row.key])))) {
          const own = of.flatMap((row) => (row.key === key && row.device !== 0 ? [row.device] : []));
          const [first, several] = state.map((address) => wordsAt(address, 10)[key - LOW + 1]);
          expect([first, several]).to.deep.equal([own[0] ?? 0, new Set(own).size > 1 ? 1 : 0]);
        }
        for (const address of [keys, devices, ...state]) give(address);
      }),
    );
  });

  it('find the places of codes in pages', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(255)), fc.array(fc.nat(9), { minLength: 64, maxLength: 64 }), (codes, pages) => {
        for (const [size, view] of [
          [1, memoryAt],
          [2, halvesAt],
          [4, wordsAt],
        ] as const) {
          const [own, table, out] = [take(codes.length * 4), take(64 * 4), take(codes.length * 4)];
          view(own, codes.length).set(codes);
          wordsAt(table, 64).set(pages.map((page) => page * 4));
          primitives.placesInPages(own, size, codes.length, table, 2, out);
          expect([...wordsAt(out, codes.length)]).to.deep.equal(
            codes.map((code) => pages[code >>> 2]! * 4 + (code & 3)),
          );
          for (const address of [own, table, out]) give(address);
        }
      }),
    );
  });
});
