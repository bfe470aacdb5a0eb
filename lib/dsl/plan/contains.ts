/** Whether texts contain another one. */
import { threshold } from '../../base/threshold.ts';

/**
 * Units of a text to look for that V8 compares in time that grows with the text alone: it prepares the last 250. Of a longer one
 * the rest may be compared anew at every place, which for a few kilobytes in a value of 64 KiB takes a tenth of a second.
 */
const PREPARED = threshold('units of a text to look for', 250);

/** Prepares to look for a text in many others, each in time that grows with its length. */
export function substringFinder(wanted: string): (text: string) => boolean {
  if (wanted.length <= PREPARED.value) return (text) => text.includes(wanted);
  const tail = wanted.slice(-PREPARED.value);
  const borders = bordersOf(wanted);
  return (text) => text.includes(tail) && isFound(wanted, borders, text);
}

/** By place in a text: how long the longest proper prefix is that also ends there. */
function bordersOf(wanted: string): Uint32Array {
  const borders = new Uint32Array(wanted.length);
  for (let at = 1; at < wanted.length; at++) borders[at] = extended(wanted, borders, borders[at - 1]!, wanted.charCodeAt(at)); // prettier-ignore
  return borders;
}

/** Knuth, Morris, Pratt: no unit of `text` is gone back to. */
function isFound(wanted: string, borders: Uint32Array, text: string): boolean {
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    matched = extended(wanted, borders, matched, text.charCodeAt(at));
    if (matched === wanted.length) return true;
  }
  return false;
}

/** The longest prefix that ends with the next unit, where one of this length ended before it. */
function extended(wanted: string, borders: Uint32Array, matched: number, unit: number): number {
  let length = matched;
  while (length > 0 && wanted.charCodeAt(length) !== unit) length = borders[length - 1]!;
  return wanted.charCodeAt(length) === unit ? length + 1 : 0;
}
