/** Where the parts of a card's answers lead. */
import type { AnswerPart } from '../../lib/dashboards/behind.ts';
import type { Envelope } from '../../lib/dashboards/data.ts';
import { made } from '../element.ts';

type Row = Envelope['rows'][number];

/** Addresses; null: that leads nowhere. Queries are named as in the card. */
export interface CardLinks {
  /** To who or what is behind a part of the answer to the only query. */
  readonly part: (part: AnswerPart) => string | null;
  /** To what is behind a number of a row. */
  readonly cell: (query: string, cell: { readonly answer: Envelope; readonly row: Row; readonly column: string }) => string | null;
  /** To the page of a person, from a column of a row that has its id. */
  readonly person: (row: Row, column: string) => string | null;
} // prettier-ignore

/** Where nobody can ask: in a file. */
export const NO_LINKS: CardLinks = { part: () => null, cell: () => null, person: () => null };

export type AddressOf = CardLinks['part'];

/** The id of a person, which is a link if there is an address. */
export function linkedPerson(text: string, address: string | null): HTMLElement | string {
  return address === null ? text : made('a', text, { href: address, class: 'person-link', title: 'Show this person' });
}

/** The text, which is a link if there is an address. @param about Says what the link shows. */
export function linked(text: string, address: string | null, about: string): HTMLElement | string {
  return address === null ? text : made('a', text, { href: address, class: 'people-link', title: about });
}
