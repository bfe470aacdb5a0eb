/** All rows of an answer as one CSV file, page by page: only one page is held. */
import type { ClientSession } from '../client/client-command.ts';
import { postQuery, type AnswerPage } from './ask.ts';

/** Rows of the largest page that a server gives. */
export const LARGEST_PAGE = 10_000;

/** Ends early if nobody reads what it writes. Pages of a list go on by cursor, others by offset. */
export async function showAllPages({ api, output }: ClientSession, q: string, first: AnswerPage): Promise<void> {
  for (let page = first, shown = 0; ;) {
    const answer = await postQuery(api, q, { ...page, limit: LARGEST_PAGE, format: 'csv' });
    const text = answer.body.toString('utf8');
    if (!(await output.piece(shown === 0 ? text : text.slice(headerOf(text))))) return;
    shown += LARGEST_PAGE;
    const next = answer.header('x-next-cursor');
    const offset = (first.offset ?? 0) + shown;
    const total = Number(answer.header('x-total-count') ?? 0); // it may grow from page to page
    if (next === null && (page.cursor !== undefined || offset >= total)) return;
    page = next === null ? { ...page, offset } : { ...page, offset: undefined, cursor: next };
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
