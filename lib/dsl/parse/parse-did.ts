/** `did(event[condition]) >= 2 in last 30d`: what a row's person did. */
import { hintsOfTwoWords, parseCount, parseDuration, parseEvent } from './parse-name.ts';
import { parseFrom } from './parse-range.ts';
import type { Comparison, ConditionNode, DidNode, DidSpanNode } from './syntax.ts';
import type { TokenStream } from './token-stream.ts';

/** @param parseFilter Reads a condition in brackets, if one is next. */
export function parseDid(tokens: TokenStream, parseFilter: () => ConditionNode | null): DidNode {
  const { start, end } = tokens.take();
  tokens.expectSymbol('(');
  const event = parseEvent(tokens, 'expected the event that a person did');
  const where = parseFilter();
  if (!tokens.takeSymbol(')')) {
    tokens.fail(where === null ? 'expected `[` or `)`' : 'expected `)`', { hints: hintsOfTwoWords(tokens, event) });
  }
  const times = parseTimes(tokens);
  const span = parseSpan(tokens);
  refuseRest(tokens, times === null && span === null, span === null);
  return { kind: 'did', event, where, times, in: span, start, end };
}

const COMPARISONS: readonly Comparison[] = ['=', '!=', '>=', '<=', '>', '<'];

function parseTimes(tokens: TokenStream): DidNode['times'] {
  const op = COMPARISONS.find((symbol) => tokens.takeSymbol(symbol));
  return op === undefined ? null : { op, count: parseCount(tokens, 0) };
}

const SPANS = ['last', 'from', 'since', 'all'] as const;

function parseSpan(tokens: TokenStream): DidSpanNode | null {
  if (tokens.takeKeyword('within')) return parseWithin(tokens);
  if (!tokens.takeKeyword('in')) return null;
  const word = SPANS.find((one) => tokens.takeKeyword(one));
  switch (word) {
    case 'last':
      return { kind: 'last', duration: parseDuration(tokens) };
    case 'from':
    case 'since':
      return parseFrom(tokens);
    case 'all':
      return { kind: 'all' };
    default:
      return tokens.fail('expected a span of time: `last 30d`, `from 2026-01-31`, `since 2026-01-31` or `all`', {
        words: SPANS,
        hints: tokens.atSymbol('(') || tokens.atSymbol('[') ? ['numbers are compared: `did(purchase) >= 2`'] : [],
      });
  }
}

/** `7d of signup`. */
function parseWithin(tokens: TokenStream): DidSpanNode {
  const duration = parseDuration(tokens);
  if (!tokens.takeKeyword('of')) {
    tokens.fail('expected `of` and the event that the time is counted from', {
      words: ['of'],
      hints: ['did(purchase) within 7d of signup'],
    });
  }
  return { kind: 'within', duration, of: parseEvent(tokens, 'expected the event that the time is counted from') };
}

/** Throws for a word that continues neither this condition nor the whole. */
function refuseRest(tokens: TokenStream, maySayTimes: boolean, maySaySpan: boolean): void {
  const { keyword } = tokens;
  const joins = ['and', 'or'];
  if (tokens.peek.kind !== 'string' && (keyword === null || joins.includes(keyword))) return;
  const words = [...(maySaySpan ? ['in', 'within'] : []), ...joins];
  const expected = words.map((word) => `\`${word}\``).join(', ');
  const hints = keyword === 'not' ? ['`not did(purchase)` is true of those who did not'] : [];
  tokens.fail(`expected ${maySayTimes ? 'a number of times such as `>= 2`, ' : ''}${expected}, \`|\` or the end of the query`, { words, hints }); // prettier-ignore
}
