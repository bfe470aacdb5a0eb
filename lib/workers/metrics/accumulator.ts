/** One metric over all rows of a part, with its state by slot. */
import type { Scan } from '../groups/scan.ts';
import type { SlotKeeper, Slots } from '../groups/slots.ts';
import type { MetricPartial } from './metric-partial.ts';

export interface Accumulator extends Pick<SlotKeeper, 'remap' | 'resize'> {
  /** Adds the rows of a scan. */
  add(scan: Scan, slots: Slots): void;
  /** No row before this bucket will follow. */
  close?(bucket: number): void;
  /** The results of these slots. The partial owns the arrays. */
  partial(slots: Uint32Array): MetricPartial;
}
