/** Names as a query writes them. */
import { isKeyword } from '../parse/keywords.ts';
import { quote } from '../parse/lex-string.ts';

/** Whether a name needs no quotes, unless it is a keyword. */
export function isBareName(name: string): boolean {
  return /^[\p{L}\p{M}\p{N}_:./$](?:[\p{L}\p{M}\p{N}_:./$]|-(?!>))*$/u.test(name);
}

/** `event_properties.plan`, the key in quotes where a bare name will not do. */
export function fieldText(name: string): string {
  const key = name.indexOf('.') + 1;
  if (isBareName(name) && key < name.length) return name; // a blank key is written ""
  return name.slice(0, key) + quote(name.slice(key));
}

/** The name of an event, in quotes where it would be something else without. */
export function eventText(name: string): string {
  return isKeyword(name) || !isBareName(name) ? quote(name) : name;
}
