/** What was looked at, and what was found. */
export interface Finding {
  readonly check: string;
  readonly found: string;
  /** What to do about it; null: it is good. */
  readonly mend: string | null;
}
