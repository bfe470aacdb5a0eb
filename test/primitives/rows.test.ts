import { expect } from 'chai';
import fc from 'fast-check';
import { memoryAt, floatsAt, give, halvesAt, primitives, take, wordsAt } from '../../lib/primitives/memory.ts';
import { LEADING_BITS, type CodeSize } from '../../lib/primitives/primitives.ts';

const MOST = 200;
const CODES = 90;

/** Rows of a block in every form that primitives read: codes of each width, a mask, slots, numbers. */
const block = fc.record({
  codes: fc.array(fc.nat(CODES - 1), { maxLength: MOST }),
  seed: fc.nat(0xffff),
  size: fc.constantFrom<CodeSize>(1, 2, 4),
});

const taken: number[] = [];
afterEach(() => {
  for (const address of taken.splice(0)) give(address);
});

function place(bytes: number): number {
  const address = take(bytes);
  memoryAt(address, bytes + 16).fill(0xee); // leftovers of earlier use
  taken.push(address);
  return address;
}

function bytes(values: readonly number[]): number {
  const address = place(values.length);
  memoryAt(address, values.length).set(values);
  return address;
}

function words(values: readonly number[]): number {
  const address = place(values.length * 4);
  wordsAt(address, values.length).set(values);
  return address;
}

function floats(values: readonly number[]): number {
  const address = place(values.length * 8);
  floatsAt(address, values.length).set(values);
  return address;
}

function codesOf(size: CodeSize, values: readonly number[]): number {
  const address = place(values.length * size);
  const view = size === 1 ? memoryAt : size === 2 ? halvesAt : wordsAt;
  view(address, values.length).set(values);
  return address;
}

/** Numbers below `most`, one for each row. */
function noise(length: number, seed: number, most: number): number[] {
  return Array.from({ length }, (_, i) => (Math.imul(i + seed + 1, 2_654_435_761) >>> 7) % most);
}

function holds(
  check: (rows: { codes: number[]; seed: number; size: CodeSize; at: number; count: number }) => void,
): void {
  fc.assert(
    fc.property(block, ({ codes, seed, size }) => {
      check({ codes, seed, size, at: codesOf(size, codes), count: codes.length });
    }),
    { numRuns: 150 },
  );
}

describe('primitives over rows', () => {
  it('test codes by a table, or for one code', () => {
    holds(({ codes, seed, size, at, count }) => {
      const passes = noise(CODES, seed, 2);
      const out = place(count);
      primitives.testCodes(at, size, count, bytes(passes), out);
      expect([...memoryAt(out, count)]).to.deep.equal(codes.map((code) => passes[code]));
      const wanted = codes[0] ?? 7;
      primitives.equalCodes(at, size, count, wanted, out);
      expect([...memoryAt(out, count)]).to.deep.equal(codes.map((code) => (code === wanted ? 1 : 0)));
    });
  });

  it('join masks, turn them, count them, and pick what passes', () => {
    holds(({ codes, seed, count }) => {
      const [a, b] = [noise(count, seed, 2), noise(count, seed + 3, 2)];
      const both = bytes(a);
      primitives.andMasks(both, bytes(b), count);
      expect([...memoryAt(both, count)]).to.deep.equal(a.map((bit, i) => bit & b[i]!));
      const either = bytes(a);
      primitives.orMasks(either, bytes(b), count);
      expect([...memoryAt(either, count)]).to.deep.equal(a.map((bit, i) => bit | b[i]!));
      expect(primitives.countMask(either, count)).to.equal(a.filter((bit, i) => (bit | b[i]!) === 1).length);
      const turned = bytes(a);
      primitives.turnMask(turned, count);
      expect([...memoryAt(turned, count)]).to.deep.equal(a.map((bit) => 1 - bit));
      const out = place(count * 4 + 4);
      const picked = primitives.pickPlaces(bytes(a), count, 1_000, out);
      expect([...wordsAt(out, picked)]).to.deep.equal(a.flatMap((bit, i) => (bit === 1 ? [1_000 + i] : [])));
      const values = primitives.pickWords(bytes(a), count, words(codes), out);
      expect([...wordsAt(out, values)]).to.deep.equal(codes.filter((_, i) => a[i] === 1));
    });
  });

  it('pick the rows of numbers in a range, and the places of words in use', () => {
    holds(({ codes, seed, count }) => {
      const [least, most] = noise(2, seed, CODES).toSorted((a, b) => a - b) as [number, number];
      const rows = noise(count, seed, 5_000);
      const out = place((count + 1) * 4);
      const between = primitives.pickBetween(floats(codes), words(rows), count, least, most, out);
      expect([...wordsAt(out, between)]).to.deep.equal(rows.filter((_, i) => codes[i]! >= least && codes[i]! <= most));
      const some = codes.map((code) => code % 3);
      const used = primitives.pickUsed(words(some), count, out);
      expect([...wordsAt(out, used)]).to.deep.equal([...some.keys()].filter((i) => some[i]! > 0));
    });
  });

  it('find the places of what two lists of rows have in common', () => {
    const rows = fc.uniqueArray(fc.nat(700), { maxLength: MOST }).map((all) => all.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(rows, rows, fc.nat(9), (list, others, first) => {
        if (list.length === 0) return;
        const within = others.filter((row) => row >= list[0]! && row <= list.at(-1)!);
        const room = place(((700 >>> 6) + 1) * 12);
        const out = place((list.length + 1) * 4);
        const args = [words(list), list.length, words(within), within.length, first, room, out] as const;
        const found = [...wordsAt(out, primitives.placesOfCommon(...args))];
        expect(found).to.deep.equal([...within.keys()].filter((k) => list.includes(within[k]!)).map((k) => k + first));
      }),
      { numRuns: 150 },
    );
  });

  it('count a mask longer than its bytes can add up', () => {
    const ones = new Array<number>(20_011).fill(1);
    expect(primitives.countMask(bytes(ones), ones.length)).to.equal(ones.length);
  });

  it('gather values of any width', () => {
    holds(({ codes, seed, size, at, count }) => {
      const rows = noise(count, seed, Math.max(1, count));
      const out = place(count * 8);
      const view = size === 1 ? memoryAt : size === 2 ? halvesAt : wordsAt;
      primitives.gather(at, size, words(rows), count, out);
      expect([...view(out, count)]).to.deep.equal(rows.map((row) => codes[row]));
      const numbers = codes.map((code) => code / 7);
      primitives.gather(floats(numbers), 8, words(rows), count, out);
      expect([...floatsAt(out, count)]).to.deep.equal(rows.map((row) => numbers[row]));
    });
  });

  it('add codes and tables up to slots', () => {
    holds(({ codes, seed, size, at, count }) => {
      const table = noise(CODES, seed, 1_000_000);
      const out = place(count * 4);
      primitives.fillWords(out, count, 5);
      primitives.addCodes(at, size, count, out);
      primitives.addTable(at, size, count, words(table), out);
      expect([...wordsAt(out, count)]).to.deep.equal(codes.map((code) => 5 + code + table[code]!));
    });
  });

  it('count codes, all or those that pass, in one place or apart', () => {
    holds(({ codes, seed, size, at, count }) => {
      const mask = noise(count, seed, 2);
      for (const masked of [false, true]) {
        const plain = new Array<number>(CODES).fill(3);
        codes.forEach((code, i) => (plain[code]! += masked ? mask[i]! : 1));
        for (const apart of [0, CODES]) {
          const out = words(new Array<number>(CODES).fill(3));
          const counts = apart === 0 ? out : words(new Array<number>(CODES * 4).fill(0));
          if (masked) primitives.countMasked(at, size, bytes(mask), count, counts, apart);
          else primitives.countCodes(at, size, count, counts, apart);
          if (apart > 0) primitives.sumApart(counts, CODES, out);
          expect([...wordsAt(out, CODES)]).to.deep.equal(plain);
        }
      }
    });
  });

  it('add numbers up by slot, and all of them, without losing what additions round off', () => {
    holds(({ codes, seed, count }) => {
      // Fractions with huge numbers that cancel out: the remainder is exact only if no digit was lost.
      const values = noise(count, seed, 1_000).map((n, i) => (i % 3 === 0 ? 1e17 : n / 8));
      const all = [...values, ...values.filter((value) => value === 1e17).map((value) => -value)];
      const slots = all.map((_, i) => codes[i % Math.max(1, count)] ?? 0);
      const [sums, errors, counts] = [
        floats(new Array<number>(CODES).fill(0)),
        floats(new Array<number>(CODES).fill(0)),
        words(new Array<number>(CODES).fill(0)),
      ];
      primitives.sumBySlot(floats(all), words(slots), all.length, sums, errors, counts);
      const exact = new Array<number>(CODES).fill(0);
      const huge = new Array<number>(CODES).fill(0);
      all.forEach((value, i) => {
        if (Math.abs(value) === 1e17) huge[slots[i]!]! += Math.sign(value);
        else exact[slots[i]!]! += value;
      });
      for (let slot = 0; slot < CODES; slot++) {
        const sum = floatsAt(sums, CODES)[slot]! - huge[slot]! * 1e17 + floatsAt(errors, CODES)[slot]!;
        expect(sum).to.equal(exact[slot]);
      }
      expect([...wordsAt(counts, CODES)]).to.deep.equal(
        exact.map((_, slot) => slots.filter((one) => one === slot).length),
      );
      const [sum, error] = [floats([0.5]), floats([0])];
      primitives.sumOne(floats(all), all.length, sum, error);
      const small = all.filter((value) => Math.abs(value) !== 1e17).reduce((a, b) => a + b, 0.5);
      expect(floatsAt(sum, 1)[0]! + floatsAt(error, 1)[0]!).to.equal(small);
    });
  });

  it('keep the least and the greatest number, by slot and of all, and pass over what is none', () => {
    holds(({ codes, seed, count }) => {
      const values = noise(count, seed, 1_000).map((n) => (n % 10 === 0 ? NaN : n - 500));
      for (const sign of [1, -1]) {
        const plain = new Array<number>(CODES).fill(-Infinity);
        codes.forEach((code, i) => {
          if (values[i]! * sign > plain[code]!) plain[code] = values[i]! * sign;
        });
        const best = floats(new Array<number>(CODES).fill(-Infinity));
        primitives.greatestBySlot(floats(values), words(codes), count, sign, best);
        expect([...floatsAt(best, CODES)]).to.deep.equal(plain);
        const one = floats([-Infinity]);
        primitives.greatest(floats(values), count, sign, one);
        expect(floatsAt(one, 1)[0]).to.equal(Math.max(...plain));
      }
    });
  });

  it('lay numbers out by slot, in their order', () => {
    holds(({ codes, seed, count }) => {
      const values = noise(count, seed, 1_000).map((n) => n / 8);
      const byCode = Array.from({ length: CODES }, (_, code) => values.filter((_value, i) => codes[i] === code));
      const next = words(byCode.map((_, code) => byCode.slice(0, code).flat().length));
      const out = place(count * 8);
      primitives.layOutNumbers(floats(values), words(codes), count, next, out);
      expect([...floatsAt(out, count)]).to.deep.equal(byCode.flat());
      expect([...wordsAt(next, CODES)]).to.deep.equal(byCode.map((_, code) => byCode.slice(0, code + 1).flat().length));
    });
  });

  it('count numbers by their leading bits, and pick those with wanted ones', () => {
    const bitsOf = (value: number): number =>
      new DataView(Float64Array.of(value).buffer).getUint32(4, true) >>> (32 - LEADING_BITS);
    holds(({ seed, count }) => {
      const odd = [-0, 0, NaN, Infinity, -Infinity, 5e-324, -1e308];
      const values = noise(count, seed, 1_000).map((n, i) =>
        n % 9 === 0 ? odd[i % odd.length]! : (n - 500) * 2 ** (n % 60),
      );
      const at = floats(values);
      const counts = words(new Array<number>(1 << LEADING_BITS).fill(0));
      primitives.countLeading(at, count, counts);
      const plain = new Map<number, number>();
      for (const value of values) plain.set(bitsOf(value), (plain.get(bitsOf(value)) ?? 0) + 1);
      expect([...wordsAt(counts, 1 << LEADING_BITS)].filter((n) => n > 0)).to.have.length(plain.size);
      for (const [bits, n] of plain) expect(wordsAt(counts, 1 << LEADING_BITS)[bits]).to.equal(n);
      const isWanted = (bits: number): boolean => (bits + seed) % 3 === 0;
      const wanted = bytes(Array.from({ length: 1 << LEADING_BITS }, (_, bits) => (isWanted(bits) ? 1 : 0)));
      const out = place((count + 1) * 8);
      const picked = primitives.pickLeading(at, count, wanted, out);
      expect([...floatsAt(out, picked)]).to.deep.equal(values.filter((value) => isWanted(bitsOf(value))));
    });
  });

  it('put ids into sets, and count them', () => {
    holds(({ codes, seed, count }) => {
      const ids = noise(count, seed, 300);
      const perSet = 10;
      const bits = words(new Array<number>(CODES * perSet).fill(0));
      primitives.setBits(words(ids), words(codes), count, bits, perSet);
      const plain = new Set(ids.map((id, i) => codes[i]! * 1_000 + id));
      expect(primitives.countBits(bits, CODES * perSet)).to.equal(plain.size);
      for (let slot = 0; slot < CODES; slot++) {
        const own = [...plain].filter((pair) => Math.floor(pair / 1_000) === slot);
        expect(primitives.countBits(bits + slot * perSet * 4, perSet)).to.equal(own.length);
      }
      const one = words(new Array<number>(perSet).fill(0));
      primitives.setBitsOfOne(words(ids), count, one);
      const view = wordsAt(one, perSet);
      const found = Array.from({ length: perSet * 32 }, (_, id) => id).filter(
        (id) => (view[id >>> 5]! >>> (id & 31)) & 1,
      );
      expect(found).to.deep.equal([...new Set(ids)].sort((a, b) => a - b));
    });
  });

  it('tell whose devices are, and prefer who sent a row', () => {
    holds(({ codes, seed, at, size, count }) => {
      const bound = codes.map((_, code) => (noise(count, seed, 3)[code] === 0 ? 7_000 + code : 0));
      const most = count + 5;
      const out = place(most * 4);
      primitives.ownPersons(words(bound), count, most, out);
      const plain = Array.from({ length: most }, (_, code) => bound[code] || code);
      expect([...wordsAt(out, most)]).to.deep.equal(plain);
      if (size !== 4) return;
      primitives.preferWords(at, count, out);
      expect([...wordsAt(out, count)]).to.deep.equal(codes.map((code, i) => code || plain[i]));
    });
  });
});
