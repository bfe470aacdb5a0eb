/** One metric over all rows of a part: state by slot. */
import type { Scan } from '../groups/scan.ts';
import type { SlotKeeper, Slots } from '../groups/slots.ts';
import type { MetricPartial } from './metric-partial.ts';

export interface Accumulator extends Pick<SlotKeeper, 'remap' | 'resize'> {
  /** Adds the rows of a scan. */
  add(scan: Scan, slots: Slots): void;
  /** No row before this bucket will come any more. */
  close?(bucket: number): void;
  /** What these slots came to. The arrays are the partial's own. */
  partial(slots: Uint32Array): MetricPartial;
}
