/**
 * What primitives take, nanoseconds a value: the least of many rounds, and the first. `npm run build && node
 * dist/bench/micro/primitives.js [rounds]`; an idle machine, please.
 */
import { encodeIntegers, openIntegers } from '../../lib/shards/encoding/integers.ts';
import { primitives, take } from '../../lib/primitives/memory.ts';

const VALUES = 262_144;
const rounds = Number(process.argv[2] ?? 200);
const out = take(VALUES * 8);
const other = take(VALUES * 8);

for (const width of [1, 5, 8, 12, 16, 20, 28]) {
  const values = Uint32Array.from({ length: VALUES }, (_, i) => Math.imul(i, 2_654_435_761) >>> (32 - width));
  const packed = openIntegers(encodeIntegers(values));
  const size = width <= 8 ? 1 : width <= 16 ? 2 : 4;
  measure(`unpack ${width} bits to ${size} bytes`, () => packed.unpack(out, size));
}
measure('largest of words', () => primitives.largest(out, 4, VALUES));
measure('sum rising', () => primitives.sumRising(out, VALUES, 0, other));
measure('scale numbers', () => primitives.scaleNumbers(out, VALUES, 0, 100, other));

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
