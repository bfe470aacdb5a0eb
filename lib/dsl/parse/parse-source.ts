/** The source of a query: what it reads. */
import { QueryError } from '../errors.ts';
import { isKeyword, LATER_SOURCES, SOURCES, startsStage } from './keywords.ts';
import { parseFilter } from './parse-condition.ts';
import { parseFormula } from './parse-formula.ts';
import { hintsOfTwoWords, parseEvent, parseString } from './parse-name.ts';
import type { EventRef, FunnelStep, Source, Span, StringRef } from './syntax.ts';
import type { TokenStream } from './token-stream.ts';

/** Bounds the state that the kernel of a funnel keeps per person and step. */
const MAX_STEPS = 64;
/** Of one step: each is looked for by itself. */
const MAX_EVENTS = 64;

/** The source; `*` if none is written. */
export function parseSource(tokens: TokenStream): Source {
  const token = tokens.peek;
  if (token.kind === 'end' || (token.kind === 'symbol' && token.symbol === '|')) {
    const nowhere = { start: token.start, end: token.start };
    return { kind: 'events', event: { name: null, ...nowhere }, ...nowhere };
  }
  const span = { start: token.start, end: token.end };
  const keyword = ALL_SOURCES.find((word) => word === tokens.keyword);
  if (keyword !== undefined) {
    tokens.take();
    return parseKeyword(tokens, keyword, span);
  }
  refuseStage(tokens);
  const event = parseEvent(tokens, 'expected a source: `*`, an event, or a word such as funnel, retention, users');
  return { kind: 'events', event, ...span };
}

const ALL_SOURCES = [...SOURCES, ...LATER_SOURCES] as const;

function parseKeyword(tokens: TokenStream, keyword: (typeof ALL_SOURCES)[number], span: Span): Source {
  switch (keyword) {
    case 'funnel':
      return { kind: 'funnel', ...parseFunnel(tokens), ...span };
    case 'retention':
      return { kind: 'retention', ...parseRetention(tokens), ...span };
    case 'paths':
      return { kind: 'paths', direction: parseDirection(tokens), event: parseEvent(tokens), ...span };
    case 'lifecycle':
    case 'stickiness':
      return { kind: keyword, event: parseEvent(tokens), ...span };
    case 'user':
      return { kind: 'user', id: parseString(tokens, 'expected the id of a user in quotes'), ...span };
    case 'users':
    case 'sessions':
    case 'fields':
      return { kind: keyword, ...span };
    case 'inspect':
      return { kind: 'inspect', event: parseInspected(tokens), ...span };
    case 'formula':
      return { kind: 'formula', expression: parseFormula(tokens), ...span };
    case 'choice':
      return { kind: 'choice', key: parseChoice(tokens), ...span };
    case 'attribution':
      return { kind: 'attribution', event: parseConversion(tokens), ...span };
  }
}

function parseFunnel(tokens: TokenStream): { steps: FunnelStep[]; exclude: EventRef[] } {
  const steps = [parseStep(tokens)];
  do {
    expectArrow(tokens, steps.at(-1)?.events.at(-1) ?? null);
    if (steps.length >= MAX_STEPS) tokens.fail(`expected at most ${MAX_STEPS} steps`);
    steps.push(parseStep(tokens));
  } while (tokens.atSymbol('->'));
  const exclude: EventRef[] = [];
  if (tokens.takeKeyword('exclude')) {
    do {
      exclude.push(parseEvent(tokens, 'expected an event to exclude'));
    } while (tokens.takeSymbol(','));
  }
  return { steps, exclude };
}

function expectArrow(tokens: TokenStream, before: EventRef | null): void {
  if (tokens.takeSymbol('->')) return;
  const twoWords = hintsOfTwoWords(tokens, before);
  tokens.fail('expected `->`', { hints: twoWords.length > 0 ? twoWords : ['a funnel has steps: funnel a -> b'] });
}

function parseStep(tokens: TokenStream): FunnelStep {
  const events = [parseEvent(tokens, 'expected the event of a step')];
  while (tokens.takeKeyword('or')) {
    if (events.length >= MAX_EVENTS) tokens.fail(`expected at most ${MAX_EVENTS} events in one step`);
    events.push(parseEvent(tokens, 'expected another event of the step'));
  }
  return { events, where: parseFilter(tokens) };
}

/** `any`, or no `returning`, means any event. Before an event, `first` is no name. */
function parseRetention(tokens: TokenStream): { event: EventRef; first: boolean; returning: EventRef | null } {
  const expected = 'expected the event that starts a cohort';
  const mayBeFirst = tokens.keyword === 'first';
  const named = parseEvent(tokens, expected);
  const first = mayBeFirst && atEvent(tokens);
  const event = first ? parseEvent(tokens, expected) : named;
  if (!tokens.takeKeyword('returning') || tokens.takeKeyword('any')) return { event, first, returning: null };
  return { event, first, returning: parseEvent(tokens, 'expected an event or `any`') };
}

/** Whether an event is next, and no keyword. */
function atEvent(tokens: TokenStream): boolean {
  const { kind } = tokens.peek;
  const word = tokens.keyword;
  return kind === 'string' || tokens.atSymbol('*') || (word !== null && !isKeyword(word));
}

function parseDirection(tokens: TokenStream): 'from' | 'to' {
  if (tokens.takeKeyword('from')) return 'from';
  if (tokens.takeKeyword('to')) return 'to';
  return tokens.fail('expected `from` or `to`', { words: ['from', 'to'] });
}

function parseInspected(tokens: TokenStream): EventRef {
  const token = tokens.peek;
  if (token.kind === 'end' || (token.kind === 'symbol' && token.symbol === '|')) {
    return { name: null, start: token.start, end: token.start };
  }
  return parseEvent(tokens, 'expected `*` or an event');
}

function parseConversion(tokens: TokenStream): EventRef {
  const { kind } = tokens.peek;
  if (kind !== 'end' && !tokens.atSymbol('|')) return parseEvent(tokens, CONVERSION);
  return tokens.fail(CONVERSION, { hints: ['an event of the name attribution stands in quotes'] });
}

const CONVERSION = 'expected the event whose credit is attributed';

function parseChoice(tokens: TokenStream): StringRef {
  const expected = 'expected the key of a choice';
  if (tokens.atSymbol('*')) tokens.fail(expected);
  const key = parseEvent(tokens, expected);
  return { value: key.name ?? '', start: key.start, end: key.end };
}

/** A query that starts with a stage lacks its source. */
function refuseStage(tokens: TokenStream): void {
  const token = tokens.peek;
  if (token.kind === 'word' && token.quoted === null && isKeyword(token.text) && startsStage(token.text)) {
    throw new QueryError(tokens.query, token.start, `expected a source, found the stage \`${token.text}\``, {
      hints: [`did you mean \`* | ${tokens.query.trim()}\`?`],
    });
  }
}
