/** What a format of files of other products is: how its records look, and what becomes of each. */

/** One record of a file: a JSON object of a line, or a row of a CSV as text by column. */
export type SourceRecord = Readonly<Record<string, unknown>>;

/** A part of a record that Windlass has no place for. */
export interface Loss {
  readonly field: string;
  readonly why: string;
}

/** What a record becomes. Bodies are those of /track and /identify (one event, one identify), without api_key. */
export interface Mapped {
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly identifies: readonly Readonly<Record<string, unknown>>[];
  readonly lost: readonly Loss[];
}

export interface ImportFormat {
  /** As on the command line. */
  readonly name: string;
  /** For people: "Mixpanel's raw export". */
  readonly title: string;
  /** How its files are divided into records. 'lines': JSON objects, one a line, or one array of them. */
  readonly reads: readonly ('lines' | 'csv')[];
  /** Whether a first record looks like it. */
  recognizes(record: SourceRecord): boolean;
  /** Throws ImportError for a record that cannot be read: it is counted and told with its line. */
  map(record: SourceRecord): Mapped;
}

/** Why a record cannot be read, for people. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}
