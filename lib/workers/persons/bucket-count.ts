/** Whether a range has so few buckets that a person's are bits of one number. */
import type { TimeRange, TimeUnit } from '../../dsl/plan.ts';
import { bucketsOf } from '../../dsl/time/buckets.ts';
import type { Zone } from '../../dsl/time/zone.ts';
import { MASK_BITS } from './person-masks.ts';

/** Lengths that a bucket mostly has: a range of more than twice MASK_BITS of them need not be cut to know. */
const USUAL = { day: 86_400_000, week: 7 * 86_400_000, month: 28 * 86_400_000 };

/** @param more Bits that are needed beside those of the range's buckets. */
export function fitsMask(range: TimeRange, unit: TimeUnit & keyof typeof USUAL, zone: Zone, more = 0): boolean {
  if ((range.to - range.from) / USUAL[unit] > 2 * MASK_BITS) return false;
  return bucketsOf(range, unit, zone).starts.length + more <= MASK_BITS;
}
