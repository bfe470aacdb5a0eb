import { coloredQuery } from './colored-query.ts';
import { made } from './element.ts';
import { fragmentOf } from './fragment-question.ts';

/** A query that a click asks, as an item of a list. `about`: what it answers. */
export function questionItem({ q, name, about }: { q: string; name?: string; about?: string }): HTMLElement {
  const item = made('li');
  const link = made('a', '', { href: fragmentOf(q), class: 'asks', ...(about === undefined ? {} : { title: about }) });
  if (name !== undefined) link.append(made('strong', name), ' ');
  const code = made('code');
  code.append(...coloredQuery(q));
  link.append(code);
  item.append(link);
  return item;
}
