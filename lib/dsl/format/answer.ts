/** An answer as text: Markdown for language models and people, JSON for programs, CSV for tables. */
import { unreachable } from '../../unreachable.ts';
import type { TimeRange } from '../plan.ts';
import type { Table } from '../table.ts';
import { formatCsv } from './csv.ts';
import { formatEnvelope, formatRows } from './json.ts';
import { formatMarkdown } from './markdown.ts';

export type Format = 'llm' | 'json' | 'csv';

/** A table with what is said around it. */
export interface Answer {
  readonly table: Table;
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

/**
 * The answer in a format. `json` is an array of row objects, with `envelope` an object that has them and the context;
 * `envelope` changes nothing of the other formats.
 */
export function formatAnswer(
  format: Format,
  answer: Answer,
  options: { readonly envelope?: boolean } = {},
): { contentType: string; body: string } {
  switch (format) {
    case 'llm':
      return { contentType: 'text/plain; charset=utf-8', body: formatMarkdown(answer) };
    case 'json':
      return {
        contentType: 'application/json; charset=utf-8',
        body: options.envelope === true ? formatEnvelope(answer) : formatRows(answer),
      };
    case 'csv':
      return { contentType: 'text/csv; charset=utf-8', body: formatCsv(answer) };
    default:
      return unreachable(format);
  }
}
