/** All rows of an answer as one CSV file, page by page: only one page is held. */
import type { ClientSession } from '../client/client-command.ts';
import { postQuery, type AnswerPage } from './ask.ts';

/** Rows of the largest page that a server gives. */
export const LARGEST_PAGE = 10_000;

/** Ends early if nobody reads what it writes. */
export async function showAllPages(
  { api, output }: ClientSession,
  q: string,
  { offset: first = 0, ...page }: AnswerPage,
): Promise<void> {
  for (let offset = first; ; offset += LARGEST_PAGE) {
    const answer = await postQuery(api, q, { ...page, limit: LARGEST_PAGE, offset, format: 'csv' });
    const text = answer.body.toString('utf8');
    if (!(await output.piece(offset === first ? text : text.slice(headerOf(text))))) return;
    const total = Number(answer.header('x-total-count') ?? 0); // it may grow from page to page
    if (offset + LARGEST_PAGE >= total) return;
  }
}

/** Where the first row begins: names of columns may have line breaks, in quotes. */
function headerOf(csv: string): number {
  let quoted = false;
  for (let at = 0; at < csv.length; at++) {
    if (csv[at] === '"') quoted = !quoted;
    else if (csv[at] === '\n' && !quoted) return at + 1;
  }
  return csv.length;
}
