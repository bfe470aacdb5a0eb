/** What an answer does without, for whoever asks. What is personal stands in personal.ts. */

/** What is personal is left out. */
export interface Hides {
  /** The project's, with which ids are hashed; null: they are shown. */
  readonly key: string | null;
  readonly personal: Personal;
}

/** What every project's personal fields are and what the project names so, or all that profiles have but for groups of many. */
export type Personal = readonly string[] | 'profiles';
