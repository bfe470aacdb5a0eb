/** What an answer is before it is framed: a page of rows that are text already, and what is said around it. */
import type { TimeRange } from '../time/units.ts';
import type { TableColumn } from '../plan/table.ts';

/** Markdown for language models and people, JSON for programs, CSV for tables. */
export type Format = 'llm' | 'json' | 'csv';

/** A table whose rows are written already. */
export interface Page {
  readonly columns: readonly TableColumn[];
  /** Rows in the text. */
  readonly shown: number;
  /** Rows before the page was cut. */
  readonly total: number;
  /** Whether no cell behind the groups says anything. */
  readonly isEmpty: boolean;
  /** UTF-8: a table of Markdown with its last line break, an array of JSON, or all of a CSV file. */
  readonly text: Uint8Array<ArrayBuffer>;
}

/** A page with what is said around it. */
export interface Answer {
  readonly page: Page;
  readonly range: TimeRange;
  /** IANA name or UTC: times are printed in it. */
  readonly zone: string;
  readonly rowsScanned: number;
  /** Milliseconds from the request's arrival. */
  readonly elapsedMs: number;
  /** Which engine answered: `embedded`. */
  readonly mode: string;
  /** Sentences, in order. */
  readonly notes: readonly string[];
}
