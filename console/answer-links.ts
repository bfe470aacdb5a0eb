/** Where the cells of an answer lead: ids to their person, numbers to who or what is behind them. */
import { Behind } from '../lib/dashboards/behind.ts';
import { cellPart } from './cell-part.ts';
import { linked, linkedPerson } from './dashboard/card-link.ts';
import { fragmentOf } from './fragment-question.ts';
import { personAddress } from './person-link.ts';
import type { Answer } from './questions.ts';

/** Makes the text of a cell a link, where it leads somewhere. */
export type LinkCell = (cell: HTMLElement, row: Answer['rows'][number], column: string) => void;

/** @param q That was answered. @param personPath Of the page of a person; '': whoever asks may not see it. */
export function linkingCells(q: string, answer: Answer, personPath: string): LinkCell {
  const behind = new Behind(q, null);
  return (cell, row, column) => {
    const person = personAddress(personPath, row, column);
    const part = person === null ? cellPart(behind.source, answer, row, column) : null;
    const query = part === null ? null : behind.of(part);
    const [text] = cell.childNodes;
    if (text === undefined || (person === null && query === null)) return;
    const written = text.textContent ?? '';
    const link = query === null ? linkedPerson(written, person) : linked(written, fragmentOf(query), 'Show what is behind this number'); // prettier-ignore
    text.replaceWith(link);
  };
}
