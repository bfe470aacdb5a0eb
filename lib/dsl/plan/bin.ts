/** Bins of numbers: all of one width, with a boundary at 0. */
import { roundComputed } from './value.ts';

/**
 * Where the bin of a number begins: k·W with the largest whole k for which k·W ≤ v, all as floats. NaN where that is not finite.
 * A quotient is rounded, so the k next to it are looked at too: beyond 2^53 these are further away.
 */
export function binOf(value: number, width: number): number {
  const near = Math.floor(value / width);
  const step = Math.max(1, Math.abs(near) * Number.EPSILON);
  if ((near + step) * width <= value) return (near + step) * width;
  return near * width <= value ? near * width : (near - step) * width;
}

/** More bins from 0 than digits tell apart. */
const MOST_ROUNDED = 1e14;

/** Where a bin begins as it is printed: as computed numbers are, unless digits are needed to tell it from the next. NaN: nowhere. */
export function printedBin(start: number, width: number): number {
  if (Math.abs(start / width) < MOST_ROUNDED) return roundComputed(start);
  return Number.isFinite(start) ? start + 0 : NaN; // -0 is 0
}
