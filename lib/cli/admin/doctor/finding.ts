/** What was checked, and the result. */
export interface Finding {
  readonly check: string;
  readonly found: string;
  /** What to do about it; null: all is well. */
  readonly mend: string | null;
}
