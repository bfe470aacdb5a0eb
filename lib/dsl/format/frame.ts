/** An answer as text: puts the rows, which are already written, in a frame with their context. */
import { unreachable } from '../../base/unreachable.ts';
import { zoneOf } from '../plan/columns.ts';
import type { Answer, Format } from './answer.ts';
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
