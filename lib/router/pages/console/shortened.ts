import { whole } from '../figures.ts';
import { type Html, html } from '../html.ts';

/** Rows of a table on one page. */
const MOST = 1_000;

/** The beginning of a list, and a note if there is more. `what` names the things, plural. */
export function shortened<T>(
  all: readonly T[],
  what: string,
): { readonly shown: readonly T[]; readonly note: Html | null } {
  if (all.length <= MOST) return { shown: all, note: null };
  return {
    shown: all.slice(0, MOST),
    note: html`<p>The first ${whole(MOST)} of ${whole(all.length)} ${what}. Use the API to list all of them.</p>`,
  };
}
