/** An answer before it is framed: a page of rows already written as text, and its context. */
import type { TimeRange } from '../time/units.ts';
import type { Reached } from '../plan/onward.ts';
import type { TableColumn } from '../plan/table.ts';

/**
 * Markdown for language models and people, JSON for programs, CSV for tables; of exports CSV without its header, a line of JSON for
 * each row, and the same as it was sent.
 */
export type AnswerFormat = 'llm' | 'json' | 'csv' | 'csv_rows' | 'lines' | 'import';

/** A table whose rows are already written. */
export interface Page {
  readonly columns: readonly TableColumn[];
  /** Rows in the text. */
  readonly shown: number;
  /** Rows before the page was cut. */
  readonly total: number;
  /** Whether all cells after the groups are empty. */
  readonly isEmpty: boolean;
  /** Of the metrics that the query names, those without a value in any row, as indexes of columns; none without rows. */
  readonly blankMetrics: readonly number[];
  readonly reached?: Reached;
  /** UTF-8: a Markdown table with its last line break, a JSON array, a whole CSV file, or lines. */
  readonly text: Uint8Array<ArrayBuffer>;
}

/** A page with its context. */
export interface Answer {
  readonly page: Page;
  readonly range: TimeRange;
  /** IANA name or UTC, for printing times. */
  readonly zone: string;
  readonly rowsScanned: number;
  /** Milliseconds since the request arrived. */
  readonly elapsedMs: number;
  /** With which the next page goes on; null or left out: there is none. */
  readonly nextCursor?: string | null;
  /** Which engine answered: `embedded`. */
  readonly mode: string;
  /** Sentences, in order. */
  readonly notes: readonly string[];
}
