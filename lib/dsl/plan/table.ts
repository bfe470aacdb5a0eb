/** The one shape of every answer, before it is rendered as Markdown, JSON or CSV. */
import type { Reached } from './onward.ts';

/**
 * `ratio` is 0 to 1 (a percentage in Markdown); `seconds` is a number (three decimals in Markdown); `time` is milliseconds since
 * the epoch, printed in the answer's zone; `json` keeps its type.
 */
export type ColumnType = 'string' | 'number' | 'ratio' | 'seconds' | 'time' | 'json';

/**
 * A field's value, a time bucket (its printed start), a metric, a value of the row itself (lists), or a retention column
 * (`period`).
 */
export type ColumnRole = 'group' | 'bucket' | 'metric' | 'period' | 'value';

export interface TableColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly role: ColumnRole;
  /** Of a group: its values have an order of their own, in which rows are, as those of buckets. */
  readonly scale?: true;
}

/** null is "missing". Only `json` columns hold objects and arrays (and paths, an array of labels). */
export type Cell = string | number | boolean | null | readonly unknown[] | { readonly [key: string]: unknown };

export interface Table {
  readonly columns: readonly TableColumn[];
  /** The rows of the page, in order. */
  readonly rows: readonly (readonly Cell[])[];
  /** Rows after the stages' offset and limit, before the request's page was cut; more than `rows` if the page cut some. */
  readonly total: number;
  /** Of events in an order of their own: how far the page goes. */
  readonly reached?: Reached;
}

/** What the engine observed besides the rows; lib/dsl/hints/notes.ts turns it into sentences. */
export interface Observations {
  /** Event names of the plan without a row in the range. */
  readonly unseenEvents: readonly string[];
  /** Property fields of the plan (event, sent, profile) without a value in the range, as `event_properties.x`. */
  readonly unseenFields: readonly string[];
  /** The same of conditions `did`, where these look; `rows` are those of `rowsScanned` that they alone looked at. */
  readonly undone?: { readonly events: readonly string[]; readonly fields: readonly string[]; readonly rows: number };
  /** Fields whose metrics take numbers and of which some value in the range is stored as something else; left out: none. */
  readonly textFields?: readonly string[];
  /** Events of bots in the range, where the plan leaves them out and there are some. */
  readonly bots?: number;
  /** Segment rows that were looked at. */
  readonly rowsScanned: number;
  /**
   * `sessions` only: events of the range that it reads, how many of them have no session_id, and sessions that begin in the range
   * whose id several devices share.
   */
  readonly sessions?: { readonly events: number; readonly without: number; readonly shared: number };
  /** `choice … results` only. */
  readonly experiment?: Experiment;
}

/** What the notes say of an experiment. */
export interface Experiment {
  /** Persons by the one variant they saw, and how many saw several and are not counted. */
  readonly variants: readonly { readonly variant: string; readonly users: number }[];
  readonly several: number;
  /** Of the first groups of the answer, or of the answer; null where no two variants can be compared. */
  readonly verdicts: readonly (Verdict | null)[];
  /** How many groups there are; 1 without. */
  readonly tables: number;
}

/** How the variant that matters most does beside the first one. */
export interface Verdict {
  /** The texts of its groups. */
  readonly group: readonly (string | null)[];
  readonly variant: string;
  readonly first: string;
  /** Rates, or means. */
  readonly values: readonly [own: number, first: number];
  /** The 95 % interval of their difference; null without a test. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** Of the test, adjusted where others are looked at too; null where there is none. */
  readonly p: number | null;
  /** How many more persons in each of the two would show such a difference with 80 % power; null: any number is too few. */
  readonly more: number | null;
}

/** All rows of an answer. */
export type WholeTable = Pick<Table, 'columns' | 'rows'>;
