/** The result of a choice, as it crosses threads. */
import type { Observations } from '../../../dsl/plan/table.ts';
import { inOrder, type VariantTally } from './choice-results.ts';

export interface ChoicePartial {
  readonly kind: 'choice';
  /** For persons who saw only one variant; none is empty. */
  readonly tallies: readonly VariantTally[];
  /** Persons who saw several variants and count for none. */
  readonly several: number;
}

export type Exposures = NonNullable<Observations['exposures']>;

/** What the notes of an answer say about a choice. */
export function exposuresOf({ tallies, several }: ChoicePartial): Exposures {
  return { variants: inOrder(tallies).map(({ variant, users }) => ({ variant, users })), several };
}
