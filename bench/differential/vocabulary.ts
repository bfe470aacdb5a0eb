/** What random questions are made of: the events, fields, values and days of the data that is asked. */

export type Some<T> = readonly [T, ...T[]];

/** A property as the pipe names it, and the column of the table `e` that has it in SQL. */
export interface TextField {
  readonly pipe: string;
  readonly column: string;
  readonly values: Some<string>;
  /** Parts of the values, and regular expressions for them. */
  readonly parts: Some<string>;
  readonly patterns: Some<string>;
}

export interface NumberField {
  readonly pipe: string;
  readonly column: string;
  /** What it is compared with. */
  readonly limits: Some<number>;
}

export interface Vocabulary {
  readonly events: Some<string>;
  /** The first has the fewest values. */
  readonly texts: Some<TextField>;
  readonly numbers: Some<NumberField>;
  /** Neither texts nor persons are ever missing: SQL need not say what happens then. */
  readonly isComplete: boolean;
  /** Whether questions may name the cohorts of did.ts. */
  readonly hasCohorts: boolean;
  /** The data begins here, in milliseconds since 1970, and has so many days. */
  readonly start: number;
  readonly days: number;
  /** A time after all events. */
  readonly now: number;
  /** The length of the shortest range, in milliseconds. */
  readonly shortest: number;
  /** Days by which ranges move: the same question about others. */
  readonly shift: number;
  /** How many groups to ask for at most, and of how many rows to keep the first, where there are many values; null: any. */
  readonly bounds: { readonly groups: number; readonly rows: number } | null;
}
