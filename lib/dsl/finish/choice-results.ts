/** The results of a choice's variants, and how certain a difference is. */
import { chiSquaredTail } from '../plan/sample-ratio.ts';
import type { Cell, Observations } from '../plan/table.ts';
import { compareCodePoints, roundComputed } from '../plan/value.ts';

export interface VariantTally {
  readonly variant: string;
  readonly users: number;
  readonly conversions: number;
}

/** The normal deviate of a 95 % interval. */
const Z = 1.959963984540054;
const CONTROL = 'control';

/** The first variant, with which the others are compared, then these by code point. */
export function variantsInOrder(tallies: readonly VariantTally[]): readonly VariantTally[] {
  return tallies.toSorted(
    (a, b) => Number(b.variant === CONTROL) - Number(a.variant === CONTROL) || compareCodePoints(a.variant, b.variant),
  );
}

/** What the notes of an answer say about a choice. @param several Persons who saw several variants. */
export function exposuresOf(tallies: readonly VariantTally[], several: number): NonNullable<Observations['exposures']> {
  return { variants: variantsInOrder(tallies).map(({ variant, users }) => ({ variant, users })), several };
}

/**
 * variant, users, conversions, rate, lift, ci_low, ci_high, p_value.
 * @param tallies As from `inOrder`, each of at least one user.
 */
export function resultRows(tallies: readonly VariantTally[]): Cell[][] {
  const [first] = tallies;
  return tallies.map((own) => {
    const { variant, users, conversions } = own;
    const { low, high } = wilsonInterval(own);
    const compared = first === undefined || own === first ? null : { lift: liftOf(own, first), p: pValue(own, first) };
    const p = compared === null || compared.p === null ? null : roundComputed(compared.p);
    return [variant, users, conversions, conversions / users, compared?.lift ?? null, low, high, p];
  });
}

/** Wilson's score interval of a rate. Begins at exactly 0 if nobody converts, and ends at exactly 1 if everybody does. */
export function wilsonInterval({ users, conversions }: VariantTally): { readonly low: number; readonly high: number } {
  const rate = conversions / users;
  const scale = 1 + Z ** 2 / users;
  const centre = (rate + Z ** 2 / (2 * users)) / scale;
  const spread = (Z * Math.sqrt((rate * (1 - rate)) / users + Z ** 2 / (4 * users ** 2))) / scale;
  return { low: conversions === 0 ? 0 : centre - spread, high: conversions === users ? 1 : centre + spread };
}

function liftOf(own: VariantTally, first: VariantTally): number | null {
  return first.conversions === 0 ? null : own.conversions / own.users / (first.conversions / first.users) - 1;
}

/** Two-sided p-value of the two-proportion z-test with a pooled rate; null if nobody or everybody converts. */
export function pValue(own: VariantTally, first: VariantTally): number | null {
  const pooled = (own.conversions + first.conversions) / (own.users + first.users);
  const variance = pooled * (1 - pooled) * (1 / own.users + 1 / first.users);
  if (!(variance > 0)) return null;
  const difference = own.conversions / own.users - first.conversions / first.users;
  // The square of a normal deviate is chi-squared with one degree of freedom.
  return chiSquaredTail(difference ** 2 / variance, 1);
}
