/** Rows of a segment per event type. Arrays, since somebody may send events of a million types. */
import { lowerBound } from '../../base/lower-bound.ts';
import { GrowableUint32 } from '../../base/growable.ts';

/** Parallel arrays, ascending by code. */
export interface TypeCounts {
  readonly codes: Uint32Array;
  readonly rows: Uint32Array;
}

/** @param codes The event type of each row. */
export function countTypes(codes: ArrayLike<number>): TypeCounts {
  let most = 0;
  for (let row = 0; row < codes.length; row++) if (codes[row]! > most) most = codes[row]!;
  const counts = new Uint32Array(most + 1);
  for (let row = 0; row < codes.length; row++) counts[codes[row]!]!++;
  const present = new GrowableUint32();
  for (let code = 0; code <= most; code++) if (counts[code]! > 0) present.push(code);
  const own = present.values.slice(0, present.length);
  return { codes: own, rows: own.map((code) => counts[code]!) };
}

export function rowsOfType({ codes, rows }: TypeCounts, wanted: number): number {
  const at = lowerBound(codes, wanted);
  return codes[at] === wanted ? rows[at]! : 0;
}

/** Stored form: JSON, pairs of code and rows. */
export function encodeTypeCounts({ codes, rows }: TypeCounts): Uint8Array {
  let text = '[';
  for (let i = 0; i < codes.length; i++) text += `${i === 0 ? '' : ','}[${codes[i]!},${rows[i]!}]`;
  return new TextEncoder().encode(`${text}]`); // not from the shared buffer pool: it is transferred to another thread
}

/** Reads only the numbers: a million pairs as objects would take a hundred megabytes. */
export function decodeTypeCounts(text: string): TypeCounts {
  const numbers = new GrowableUint32();
  for (let i = 0, number = -1; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit >= 0 && digit <= 9) {
      number = Math.max(number, 0) * 10 + digit;
    } else if (number >= 0) {
      numbers.push(number);
      number = -1;
    }
  }
  if (numbers.length % 2 !== 0) throw new Error('the counts of event types are damaged');
  const pairs = numbers.values.subarray(0, numbers.length);
  const every = (from: number): Uint32Array =>
    Uint32Array.from({ length: pairs.length / 2 }, (_, i) => pairs[i * 2 + from]!);
  return { codes: every(0), rows: every(1) };
}
