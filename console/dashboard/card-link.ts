/** Links from a part of a picture to the persons behind it. */
import type { PeopleAsked } from '../../lib/dashboards/people.ts';
import { made } from '../element.ts';

/** Which part of an answer. */
export type Parts = Pick<PeopleAsked, 'which' | 'chosen'>;

/** Where to see who is behind a part of a card's answer; null: nowhere. */
export type AddressOf = (parts: Parts) => string | null;

/** The text, which is a link if there is an address. @param about Says what the link shows. */
export function linked(text: string, address: string | null, about: string): HTMLElement | string {
  return address === null ? text : made('a', text, { href: address, class: 'people-link', title: about });
}
