import fc from 'fast-check';
import { expect } from 'chai';
import { memoryAt, Lease, primitives, wordsAt } from '../../../lib/primitives/memory.ts';

const MOST = 200;
const wordValue = fc.oneof(fc.nat(3), fc.nat(0xffffffff));
const columns = (count: number): fc.Arbitrary<number[][]> =>
  fc.array(fc.tuple(...Array.from({ length: count }, () => wordValue)), { maxLength: MOST }).map((rows) =>
    Array.from({ length: count }, (_, n) => rows.map((row) => row[n]!)),
  ); // prettier-ignore
/** Few different ones, so that many are equal. */
const time = fc.oneof(fc.nat(5), fc.constantFrom(-Infinity, 1.5e12, 1.5e12 + 1));

let lease: Lease;
const words = (values: readonly number[]): number => lease.hold(Uint32Array.from(values)).byteOffset;
const floats = (values: readonly number[]): number => lease.hold(Float64Array.from(values)).byteOffset;
/** Room for so many words, with leftovers of earlier use, and what is there later. */
const room = (count: number): number => lease.words(count).fill(0xeeeeeeee).byteOffset;
const read = (address: number, count: number): number[] => [...wordsAt(address, count)];

describe('primitives over raw rows', () => {
  beforeEach(() => (lease = new Lease()));
  afterEach(() => lease[Symbol.dispose]());

  it('split rows into a run in order of time and arrival, and those that come too late for it', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(time, fc.nat(5)), { maxLength: MOST }), (rows) => {
        const [times, arrivals] = [rows.map(([one]) => one), rows.map(([, one]) => one)];
        const [run, late] = [room(rows.length), room(rows.length)];
        const length = primitives.inOrder(floats(times), floats(arrivals), rows.length, run, late);
        const [inRun, others]: [number[], number[]] = [[], []];
        for (let row = 0; row < rows.length; row++) {
          const last = inRun.at(-1);
          const isLater =
            last === undefined ||
            times[row]! > times[last]! ||
            (times[row] === times[last] && arrivals[row]! > arrivals[last]!);
          (isLater ? inRun : others).push(row);
        }
        expect([read(run, length), read(late, rows.length - length)]).to.deep.equal([inRun, others]);
      }),
    );
  });

  it('place values at the ranks of their rows', () => {
    const shuffled = fc.shuffledSubarray(Array.from({ length: 40 }, (_, n) => n));
    fc.assert(
      fc.property(shuffled, fc.array(fc.nat(39), { maxLength: 40 }), (order, having) => {
        const ranks = words(Array.from({ length: 40 }, (_, row) => order.indexOf(row) + 1));
        const rows = [...new Set(having)].sort((a, b) => a - b);
        const out = lease.noWords(order.length).byteOffset;
        const placed = primitives.placeValues(words(rows), rows.length, ranks, out);
        expect(read(out, order.length)).to.deep.equal(order.map((row) => rows.indexOf(row) + 1));
        expect(placed).to.equal(rows.filter((row) => order.includes(row)).length);
      }),
    );
  });

  it('number triples as they appear', () => {
    fc.assert(
      fc.property(columns(3), ([users = [], devices = [], sessions = []]) => {
        const count = users.length;
        const [firsts, out] = [room(count), room(count)];
        const slots = lease.noWords(512).byteOffset;
        const [a, b, c] = [words(users), words(devices), words(sessions)];
        const triples = primitives.numberTriples(a, b, c, count, slots, 512, firsts, out);
        const known = new Map<string, number>();
        const first: number[] = [];
        const expected = users.map((user, row) => {
          const key = `${user} ${devices[row]!} ${sessions[row]!}`;
          if (!known.has(key)) known.set(key, first.push(row) - 1);
          return known.get(key)!;
        });
        expect(read(out, count)).to.deep.equal(expected);
        expect(read(firsts, triples)).to.deep.equal(first);
      }),
    );
  });

  it('pick the rows whose code is not that of their triple, up to a number', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(2), fc.nat(2)), { maxLength: MOST }), fc.nat(MOST), (rows, most) => {
        const table = [0, 1, 2];
        const [codes, triples] = [rows.map(([one]) => one), rows.map(([, one]) => one)];
        const out = room(most);
        const count = primitives.pickUnlike(words(codes), rows.length, words(table), words(triples), most, out);
        const unlike = rows.flatMap(([code, triple], row) => (code === table[triple] ? [] : [row]));
        expect(count).to.equal(Math.min(unlike.length, most + 1));
        expect(read(out, Math.min(count, most))).to.deep.equal(unlike.slice(0, most));
      }),
    );
  });

  it('make the differences that the sums of sequences begin with, or none where one is too large', () => {
    const rising = fc.tuple(fc.nat(1e12), fc.array(fc.oneof(fc.nat(3), fc.nat(2 ** 33)), { maxLength: MOST }));
    fc.assert(
      fc.property(rising, ([first, steps]) => {
        const values = steps.reduce((all, step) => [...all, all.at(-1)! + step], [first]);
        const out = room(values.length);
        const fits = steps.every((step) => step <= 0xffffffff);
        expect(primitives.differencesOfRising(floats(values), values.length, out)).to.equal(fits ? 1 : 0);
        if (fits) expect(read(out, values.length)).to.deep.equal([0, ...steps]);
      }),
    );
    expect(primitives.differencesOfRising(floats([5, 4]), 2, room(2))).to.equal(0);
    expect(primitives.differencesOfRising(floats([5, NaN]), 2, room(2))).to.equal(0);
    const step = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -(2 ** 32), max: 2 ** 32 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: MOST }), (steps) => {
        const values = steps.reduce((all, one) => [...all, all.at(-1)! + 1 + one], [1e12]);
        const out = room(values.length);
        const fits = steps.every((one) => Math.abs(one) <= 0x7fffffff);
        expect(primitives.differencesOfConsecutive(floats(values), values.length, out)).to.equal(fits ? 1 : 0);
        const zigzag = steps.map((one) => (one >= 0 ? one * 2 : -one * 2 - 1));
        if (fits) expect(read(out, values.length)).to.deep.equal([0, ...zigzag]);
      }),
    );
  });

  it('find no places for keys of which one comes twice', () => {
    const [count, stretch, length] = [3, 4, 12];
    const address = lease.bytes(count * 16 + length * 13).byteOffset;
    const cells = lease.words(length).byteOffset;
    const fill = (low: readonly number[]): number =>
      primitives.fillCells(words([0, 0, 0]), words(low), count, 7, stretch, length, address, cells, 4);
    expect(fill([1, 2, 1])).to.equal(0);
    expect(fill([1, 2, 3])).to.equal(1);
    expect([...memoryAt(cells, length * 4)].some((byte) => byte !== 0)).to.equal(true);
  });
});
