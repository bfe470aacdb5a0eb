/** An answer as text: puts the rows, which are already written, in a frame with their context. */
import { zoneOf } from '../plan/columns.ts';
import type { Answer, AnswerFormat } from './answer.ts';
import { envelopeAround } from './json.ts';
import { linesBelow } from './markdown.ts';

/** Text before and after the page. */
export interface Frame {
  readonly contentType: string;
  readonly before: string;
  readonly after: string;
}

/**
 * The frame of an answer in the format of its page. `json` is an array of row objects, or with `envelope` an object that has
 * them and the context; other formats ignore `envelope`.
 */
export function frameAnswer(
  format: AnswerFormat,
  answer: Answer,
  options: { readonly envelope?: boolean } = {},
): Frame {
  return {
    contentType: ANSWER_TYPES[format],
    before: '',
    after: format === 'llm' ? linesBelow(answer, zoneOf(answer)) : '',
    ...(format === 'json' && options.envelope === true && envelopeAround(answer)),
  };
}

/** Media types. */
export const ANSWER_TYPES: Readonly<Record<AnswerFormat, string>> = {
  llm: 'text/plain; charset=utf-8',
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  csv_rows: 'text/csv; charset=utf-8',
  lines: 'application/x-ndjson',
  import: 'application/x-ndjson',
};
