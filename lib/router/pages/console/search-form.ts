/** A search in a list that may be long: a plain form, so that what is searched is in the address. */
import type { IncomingMessage } from 'node:http';
import { queryParameters } from '../../http/query-string.ts';
import { type Html, html } from '../html.ts';

/** What is searched; '': everything. */
export function searchOf(request: IncomingMessage): string {
  return (queryParameters(request).get('search') ?? '').trim().slice(0, MOST_TEXT);
}

/** Names have at most as many characters. */
const MOST_TEXT = 200;

export function searchForm(path: string, label: string, search: string): Html {
  return html`<form class="filter" method="get" action="${path}" role="search" aria-label="${label}">
    <div class="field">
      <input type="search" name="search" aria-label="${label}" placeholder="${label}" value="${search}" maxlength="${MOST_TEXT}" />
    </div>
    <div class="submit">
      <button class="plain">Search</button>${search !== '' && html` <a class="button quiet" href="${path}">Show all</a>`}
    </div>
  </form>`;
} // prettier-ignore
