/** The stages of a query, one function each. */
import { BUCKETS, readBucket, STAGES, startsStage } from './keywords.ts';
import { METRIC_TRAITS, METRICS, readMetric } from '../plan/metrics.ts';
import { foreignHints, hintsOfCall } from './foreign-words.ts';
import { parseCondition } from './parse-condition.ts';
import { atField, parseCount, parseDuration, parseEvent, parseField, parseString, peekMetric } from './parse-name.ts';
import type { ByNode, ColumnRef, GroupNode, MetricNode, RangeNode, Span, Stage, WhenNode } from './syntax.ts';
import type { TokenStream } from './token-stream.ts';

/** Bounds on an answer's width. */
const MAX_METRICS = 128;
const MAX_GROUPS = 32;

const AFTER_METRIC = 'expected `by`, `,`, `|` or the end of the query';

export function parseStage(tokens: TokenStream): Stage {
  const token = tokens.peek;
  const span = { start: token.start, end: token.end };
  if (atMetric(tokens)) {
    const metrics = parseMetrics(tokens);
    return { kind: 'metrics', metrics, by: tokens.keyword === 'by' ? parseBy(tokens) : null, ...span };
  }
  const keyword = STAGES.find((word) => word === tokens.keyword);
  if (keyword === undefined) return failAtStage(tokens);
  if (keyword === 'by') return { kind: 'by', by: parseBy(tokens), ...span };
  tokens.take();
  return { ...parseKeyword(tokens, keyword), ...span };
}

type Bare<T> = T extends Span ? Omit<T, keyof Span> : never;

function parseKeyword(tokens: TokenStream, keyword: Exclude<(typeof STAGES)[number], 'by'>): Bare<Stage> {
  switch (keyword) {
    case 'where':
      return { kind: 'where', condition: parseCondition(tokens) };
    case 'last':
      return { kind: 'range', range: { kind: 'last', duration: parseDuration(tokens) } };
    case 'from':
    case 'since':
      return { kind: 'range', range: parseFrom(tokens) };
    case 'all':
    case 'today':
    case 'yesterday':
      return { kind: 'range', range: { kind: keyword } };
    case 'this':
      return { kind: 'range', range: parseThis(tokens) };
    case 'list':
      return { kind: 'list' };
    case 'latest':
      return parseLatest(tokens);
    case 'sort':
      return parseSort(tokens);
    case 'top':
    case 'limit':
    case 'depth':
      return { kind: keyword, count: parseCount(tokens, 1) };
    case 'offset':
      return { kind: 'offset', count: parseCount(tokens, 0) };
    case 'window':
      return { kind: 'window', duration: parseDuration(tokens) };
    case 'tz':
      return { kind: 'tz', zone: parseString(tokens, 'expected the name of a time zone in quotes') };
    case 'results':
      return { kind: 'results', event: parseEvent(tokens, 'expected the event that counts as a conversion') };
    case 'unit':
      return { kind: 'unit', field: parseField(tokens) };
  }
}

function parseLatest(tokens: TokenStream): Bare<Stage> {
  const field = parseField(tokens);
  return { kind: 'latest', field, per: tokens.takeKeyword('per') ? parseField(tokens) : null };
}

function parseSort(tokens: TokenStream): Bare<Stage> {
  const column = parseColumn(tokens);
  const next = tokens.peek;
  if (column.text.toLowerCase() === 'by' && next.kind === 'word' && !['asc', 'desc'].includes(tokens.keyword ?? '')) {
    return tokens.fail('expected `asc`, `desc`, `|` or the end of the query', {
      hints: [`leave \`by\` out: \`sort ${tokens.textOf(next)}\``],
    });
  }
  if (tokens.takeKeyword('asc')) return { kind: 'sort', column, direction: 'asc' };
  return { kind: 'sort', column, direction: tokens.takeKeyword('desc') ? 'desc' : null };
}

/** A name, a string, or `metric(field)`, as the answer prints it. Keywords are ordinary names here. */
function parseColumn(tokens: TokenStream): ColumnRef {
  const token = tokens.peek;
  if (token.kind !== 'word' && token.kind !== 'string') return tokens.fail('expected a column of the answer');
  tokens.take();
  if (token.kind === 'string') return { text: token.value, start: token.start, end: token.end };
  let end = token.end;
  if (token.quoted === null && tokens.takeSymbol('(')) {
    while (!tokens.atSymbol(')')) {
      const inner = tokens.peek;
      if (inner.kind !== 'word' && inner.kind !== 'string' && !tokens.atSymbol(',') && !tokens.atSymbol('*')) {
        tokens.fail('expected `)` after the field of the column');
      }
      tokens.take();
    }
    end = tokens.take().end;
  }
  return { text: tokens.query.slice(token.start, end), start: token.start, end };
}

function parseMetrics(tokens: TokenStream): MetricNode[] {
  const metrics = [parseMetric(tokens)];
  while (tokens.takeSymbol(',')) {
    if (metrics.length >= MAX_METRICS) tokens.fail(`expected at most ${MAX_METRICS} metrics`);
    metrics.push(parseMetric(tokens));
  }
  const next = tokens.peek;
  if (next.kind === 'word' && tokens.keyword !== 'by') {
    const text = tokens.textOf(next);
    const foreign = foreignHints.afterMetrics(text);
    const hints = [startsStage(text) ? `did you mean \`| ${text}\`?` : `did you mean \`by ${text}\`?`];
    const expectation = foreign.length > 0 ? { hints: foreign } : { words: ['by'], hints };
    tokens.fail(AFTER_METRIC, expectation);
  }
  return metrics;
}

function parseMetric(tokens: TokenStream): MetricNode {
  const token = tokens.peek;
  const { word, metric } = peekMetric(tokens, `expected a metric: ${METRICS.join(', ')}, p1 to p99`);
  tokens.take();
  const span = { start: token.start, end: token.end };
  const { field } = METRIC_TRAITS[metric.name];
  if (tokens.atSymbol('(')) {
    const expected = field === 'required' ? 'expected a field' : AFTER_METRIC;
    tokens.fail(expected, { hints: hintsOfCall(word, field !== 'none') });
  }
  const takesField = field === 'required' || (field === 'optional' && atField(tokens));
  return { ...metric, word, field: takesField ? parseField(tokens) : null, ...span };
}

function parseBy(tokens: TokenStream): ByNode {
  const by = tokens.take();
  const groups = [parseGroup(tokens)];
  while (tokens.takeSymbol(',')) {
    if (groups.length >= MAX_GROUPS) tokens.fail(`expected at most ${MAX_GROUPS} groups`);
    groups.push(parseGroup(tokens));
  }
  return { groups, start: by.start, end: by.end };
}

function parseGroup(tokens: TokenStream): GroupNode {
  const token = tokens.peek;
  const unit = readBucket(tokens.keyword ?? '');
  if (unit !== null) {
    tokens.take();
    return { kind: 'bucket', unit, text: tokens.textOf(token), start: token.start, end: token.end };
  }
  const field = parseField(tokens, `expected a field or one of ${BUCKETS.join(', ')}`);
  return { kind: 'field', ...field };
}

/** Also true at p0 and p100, so that the error names the bounds. */
function atMetric(tokens: TokenStream): boolean {
  const word = tokens.keyword ?? '';
  return readMetric(word) !== null || /^p[0-9]+$/.test(word);
}

function failAtStage(tokens: TokenStream): never {
  const words = [...STAGES, ...METRICS];
  const hints = foreignHints.stage(tokens.keyword ?? (tokens.atSymbol('|') ? '|' : ''));
  return tokens.fail(`expected a stage: ${words.join(', ')}, p1 to p99`, hints.length > 0 ? { hints } : { words });
}

/** `from when [to (when | now)]`, after the word `from` or `since`. `now` is the same as no end. */
function parseFrom(tokens: TokenStream): RangeNode {
  const from = parseWhen(tokens);
  const isOpen = !tokens.takeKeyword('to') || tokens.takeKeyword('now');
  return { kind: 'from', from, to: isOpen ? null : parseWhen(tokens) };
}

const CALENDAR = ['week', 'month', 'quarter', 'year'] as const;

/** What follows `this`. */
function parseThis(tokens: TokenStream): RangeNode {
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
