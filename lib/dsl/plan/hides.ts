/** What somebody may not see. */

/** Ids are shown as hashes with the project's `key`, and what is `personal` (lib/dsl/plan/personal.ts) is left out. */
export interface Hides {
  readonly key: string;
  /** What the project names as personal. */
  readonly personal: readonly string[];
}
