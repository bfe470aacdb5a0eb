/** An answer as text: the rows, which are written already, in a frame of what is said about them. */
import { unreachable } from '../../base/unreachable.ts';
import { zoneOf } from '../plan/columns.ts';
import type { Answer, Format } from './answer.ts';
import { envelopeAround } from './json.ts';
import { linesBelow } from './markdown.ts';

/** What stands before the text of the page, and after it. */
export interface Frame {
  readonly contentType: string;
  readonly before: string;
  readonly after: string;
}

/**
 * The frame of an answer in the format that its page has. `json` is an array of row objects, with `envelope` an object that
 * has them and the context; `envelope` changes nothing of the other formats.
 */
export function frameAnswer(format: Format, answer: Answer, options: { readonly envelope?: boolean } = {}): Frame {
  switch (format) {
    case 'llm':
      return {
        contentType: 'text/plain; charset=utf-8',
        before: '',
        after: linesBelow(answer, zoneOf(answer)),
      };
    case 'json':
      return {
        contentType: 'application/json; charset=utf-8',
        ...(options.envelope === true ? envelopeAround(answer) : { before: '', after: '' }),
      };
    case 'csv':
      return { contentType: 'text/csv; charset=utf-8', before: '', after: '' };
    default:
      return unreachable(format);
  }
}
