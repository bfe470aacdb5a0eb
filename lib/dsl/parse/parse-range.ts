/** The stages that set the time range. */
import type { RangeNode, WhenNode } from './syntax.ts';
import type { TokenStream } from './token-stream.ts';

/** `from when [to (when | now)]`, after the word `from` or `since`. */
export function parseFrom(tokens: TokenStream): RangeNode {
  const from = parseWhen(tokens);
  return { kind: 'from', from, to: tokens.takeKeyword('to') ? parseEnd(tokens) : null };
}

/** `now` is the same as no end. */
function parseEnd(tokens: TokenStream): WhenNode | null {
  return tokens.takeKeyword('now') ? null : parseWhen(tokens);
}

const CALENDAR = ['week', 'month', 'quarter', 'year'] as const;

/** What follows `this`. */
export function parseThis(tokens: TokenStream): RangeNode {
  const unit = CALENDAR.find((word) => word === tokens.keyword);
  if (unit === undefined) return tokens.fail(`expected one of ${CALENDAR.join(', ')}`, { words: CALENDAR });
  tokens.take();
  return { kind: 'this', unit };
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
