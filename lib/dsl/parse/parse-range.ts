/** Ranges of time from one moment to another, as stages and spans have them. */
import type { RangeNode, WhenNode } from './syntax.ts';
import type { TokenStream } from './token-stream.ts';

/** `from when [to (when | now)]`, after the word `from` or `since`. `now` is the same as no end. */
export function parseFrom(tokens: TokenStream): RangeNode & { readonly kind: 'from' } {
  const from = parseWhen(tokens);
  const isOpen = !tokens.takeKeyword('to') || tokens.takeKeyword('now');
  return { kind: 'from', from, to: isOpen ? null : parseWhen(tokens) };
}

/** Any word or string; the binder, which knows the zone, checks that it is a time. */
function parseWhen(tokens: TokenStream): WhenNode {
  const token = tokens.peek;
  if (token.kind === 'string') {
    tokens.take();
    return { text: token.value, start: token.start, end: token.end };
  }
  if (token.kind !== 'word' || token.quoted !== null) {
    return tokens.fail('expected a date or a time such as 2026-01-31 or 2026-01-31T10:00');
  }
  tokens.take();
  return { text: token.text, start: token.start, end: token.end };
}
