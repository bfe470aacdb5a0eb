/**
 * What primitives take, nanoseconds per value: the minimum of many rounds, and the first. `npm run build && node
 * dist/bench/micro/primitives.js [rounds]`; needs an idle machine.
 */
import { encodeIntegers, openIntegers } from '../../lib/shards/segment/encoding/integers.ts';
import { LEADING_BITS } from '../../lib/primitives/primitives.ts';
import { memoryAt, floatsAt, primitives, take, wordsAt } from '../../lib/primitives/memory.ts';

const VALUES = 262_144;
const SLOTS = 1_024;
const rounds = Number(process.argv[2] ?? 200);
const out = take(VALUES * 8);
const other = take(VALUES * 8);

for (const width of [1, 5, 8, 12, 16, 20, 28]) {
  const values = Uint32Array.from({ length: VALUES }, (_, i) => Math.imul(i, 2_654_435_761) >>> (32 - width));
  const packed = openIntegers(encodeIntegers(values));
  const size = width <= 8 ? 1 : width <= 16 ? 2 : 4;
  measure(`unpack ${width} bits to ${size} bytes`, () => packed.unpack(out, size));
}
for (const width of [1, 8, 20]) {
  const values = Uint32Array.from({ length: VALUES }, (_, i) => Math.imul(i, 2_654_435_761) >>> (32 - width));
  wordsAt(other, VALUES).set(values);
  measure(`pack ${width} bits`, () => primitives.packIntegers(other, VALUES, 255, out));
}
measure('largest of words', () => primitives.largest(out, 4, VALUES));
measure('least of words but 0', () => primitives.leastSome(out, 4, VALUES));
measure('sum rising', () => primitives.sumRising(out, VALUES, 0, other));
measure('scale numbers', () => primitives.scaleNumbers(out, VALUES, 0, 100, other));

const persons = take(VALUES * 4);
wordsAt(persons, VALUES).set(Uint32Array.from({ length: VALUES }, (_, i) => Math.imul(i, 2_654_435_761) >>> 15));
const state = take(VALUES * 4);
const more = take(VALUES * 4);
for (const address of [state, more]) memoryAt(address, VALUES * 4).fill(0);
measure('mark persons', () => primitives.markPersons(persons, VALUES, 4, state, 4));
measure('earliest cohorts', () => primitives.earliestCohorts(persons, VALUES, 3, state, 4));
measure('mark periods', () => primitives.markPeriods(persons, VALUES, 5, state, 4, 12, more));
measure('count buckets', () => primitives.countBuckets(persons, VALUES, 7, state, more));
measure('pick somebody', () => primitives.pickSome(persons, VALUES, persons, 4, other));
measure('form sessions', () => primitives.formSessions(persons, 1, 0, 0, VALUES, state, more, other));
measure('places in pages', () => primitives.placesInPages(persons, 4, VALUES, state, 6, other));

const rising = take(VALUES * 8);
floatsAt(rising, VALUES).set(Float64Array.from({ length: VALUES }, (_, i) => 1.7e12 + i * 37));
measure('rows in order', () => primitives.inOrder(rising, rising, VALUES, out, other));
measure('differences', () => primitives.differencesOfRising(rising, VALUES, out));
const table = take(2 * VALUES * 4);
measure('number triples', () => {
  memoryAt(table, 2 * VALUES * 4).fill(0);
  primitives.numberTriples(persons, persons, persons, VALUES, table, 2 * VALUES, out, other);
});
measure('pick what is unlike', () => primitives.pickUnlike(persons, VALUES, persons, other, VALUES, out));
const [keys, low] = [take(VALUES * 4), take(VALUES * 4)];
for (const half of [keys, low])
  wordsAt(half, VALUES).set(Uint32Array.from({ length: VALUES }, (_, i) => Math.imul(i + half, 2_654_435_761)));
const [stretch, length] = [8_192, 8_192 * 38]; // as makeFilter chooses
const trial = take(VALUES * 16 + length * 13);
const cells = take(length * 2);
measure('fill cells of a filter', () => {
  if (primitives.fillCells(keys, low, VALUES, 1, stretch, length, trial, cells, 2) === 0) throw new Error('no filter');
});

const floats = take(VALUES * 8);
const counts = take(VALUES * 4);
primitives.scaleNumbers(persons, VALUES, 1, 8, floats);
memoryAt(counts, VALUES * 4).fill(0);
measure('lay numbers out', () => {
  wordsAt(more, VALUES).fill(0); // so that all stay within the array
  primitives.layOutNumbers(floats, state, VALUES, more, other);
});
const [sums, errors, slots] = [take(SLOTS * 8), take(SLOTS * 8), take(VALUES * 4)];
wordsAt(slots, VALUES).set(wordsAt(persons, VALUES).map((person) => person % SLOTS));
measureSums('');
floatsAt(floats, VALUES).set(floatsAt(floats, VALUES).map((number) => number / 100));
measureSums(', decimals');
measure('count leading bits', () => primitives.countLeading(floats, VALUES, counts));
memoryAt(counts, 1 << LEADING_BITS).fill(1);
measure('pick by leading bits', () => primitives.pickLeading(floats, VALUES, counts, other));

function measureSums(kind: string): void {
  const startAgain = (): void => [sums, errors].forEach((address) => void memoryAt(address, SLOTS * 8).fill(0));
  measure(`sum of all${kind}`, () => {
    startAgain();
    primitives.sumOne(floats, VALUES, sums, errors);
  });
  measure(`sums by slot${kind}`, () => {
    startAgain();
    primitives.sumBySlot(floats, slots, VALUES, sums, errors, counts);
  });
}

function measure(name: string, run: () => void): void {
  const times = Array.from({ length: rounds }, () => {
    const begun = performance.now();
    run();
    return ((performance.now() - begun) * 1e6) / VALUES;
  });
  console.log(
    `${name.padEnd(28)} ${Math.min(...times)
      .toFixed(2)
      .padStart(6)} ${times[0]!.toFixed(2).padStart(8)} at first`,
  );
}
