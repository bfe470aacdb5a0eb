/** What every layer knows about saved cohorts. */

/** Letters, digits, space, `_ - .`; at most 64 characters, the first and the last no space. */
export const COHORT_NAME = /^(?! )[\p{L}\p{M}\p{N} _.-]{1,64}(?<! )$/u;

/** How many cohorts stand in each other, with the first. */
export const MAX_COHORT_DEPTH = 4;

/** Bytes of a condition. */
export const MAX_COHORT_BYTES = 4_096;

/** UTF-16 units. */
export const MAX_COHORT_DESCRIPTION = 500;

/** What a query needs to know of a project's cohorts. */
export interface KnownCohorts {
  /** Of all of them. */
  readonly names: readonly string[];
  /** The conditions, by name, of those that the query names, and of those that these name. */
  readonly conditions: ReadonlyMap<string, string>;
}
