/** Whose rows a statement reads. */
import type { Slots } from '../hot/slots.ts';

export interface Tenant {
  /** The project. */
  readonly id: string;
  /** Which of its properties have columns; those that are left out are found in maps. */
  readonly slots: Slots;
  /** Whether numbers may be too large or too fine for quick sums and percentiles (exact-sums.ts). */
  readonly hasFarNumbers?: boolean;
}
