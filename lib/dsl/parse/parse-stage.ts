/** The stages of a query, one function each. */
import type { Duration } from '../time/units.ts';
import { LATER_STAGES, PEOPLE_WORDS, STAGES, startsStage } from './keywords.ts';
import { parseGroup } from './parse-group.ts';
import { QueryError } from '../errors.ts';
import { isAggregate, METRIC_TRAITS, METRICS, readMetric } from '../plan/metrics.ts';
import { quote } from './lex-string.ts';
import { foreignHints, hintsOfCall } from './foreign-words.ts';
import { parseNumberField } from './parse-arithmetic.ts';
import { parseColumnCondition, parseCondition, parseFilter } from './parse-condition.ts';
import {
  atField,
  parseColumn,
  parseCount,
  parseDuration,
  parseEvent,
  parseField,
  parseString,
  peekMetric,
} from './parse-name.ts';
import { parseFrom } from './parse-range.ts';
import type {
  ByNode,
  FieldRef,
  MetricNode,
  PeopleNode,
  RangeNode,
  Span,
  Stage,
  SourceKind,
  StringRef,
} from './syntax.ts';
import { WEEK_STARTS, type WeekStart } from '../../base/project.ts';
import { AS_OF_UNITS } from '../time/units.ts';
import { ATTRIBUTION_MODELS, type AttributionModel } from '../plan/attribution.ts';
import type { TokenStream } from './token-stream.ts';

/** Bounds on an answer's width: metrics, or fields of a list; and groups. */
const MAX_COLUMNS = 128;
const MAX_GROUPS = 32;

const AFTER_METRIC = 'expected `[`, `as`, `by`, `,`, `|` or the end of the query';

/** @param source Metrics of a funnel are of the time between steps, and take no field. */
export function parseStage(tokens: TokenStream, source: SourceKind): Stage {
  const token = tokens.peek;
  const span = { start: token.start, end: token.end };
  if (atMetric(tokens)) {
    const metrics = parseMetrics(tokens, source === 'funnel');
    return { kind: 'metrics', metrics, by: tokens.keyword === 'by' ? parseBy(tokens) : null, ...span };
  }
  const keyword = ALL_STAGES.find((word) => word === tokens.keyword);
  if (keyword === undefined) return failAtStage(tokens);
  if (keyword === 'by') return { kind: 'by', by: parseBy(tokens), ...span };
  tokens.take();
  return { ...parseKeyword(tokens, keyword), ...span };
}

const ALL_STAGES = [...STAGES, ...LATER_STAGES] as const;

type Bare<T> = T extends Span ? Omit<T, keyof Span> : never;

function parseKeyword(tokens: TokenStream, keyword: Exclude<(typeof ALL_STAGES)[number], 'by'>): Bare<Stage> {
  switch (keyword) {
    case 'where':
      return { kind: 'where', condition: parseCondition(tokens) };
    case 'having':
      return { kind: 'having', condition: parseColumnCondition(tokens) };
    case 'share':
      return { kind: 'share' };
    case 'compare':
      return { kind: 'compare', ago: tokens.takeKeyword('previous') ? null : parseAgo(tokens) };
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
      return { kind: 'list', fields: parseListed(tokens) };
    case 'rolling':
      return { kind: 'rolling', duration: parseDuration(tokens) };
    case 'latest':
      return parseLatest(tokens);
    case 'sort':
      return parseSort(tokens);
    case 'top':
    case 'limit':
    case 'depth':
    case 'periods':
      return { kind: keyword, count: parseCount(tokens, 1) };
    case 'offset':
      return { kind: 'offset', count: parseCount(tokens, 0) };
    case 'window':
      return { kind: 'window', duration: parseDuration(tokens) };
    case 'tz':
      return { kind: 'tz', zone: parseString(tokens, 'expected the name of a time zone in quotes') };
    case 'weeks':
      return { kind: 'weeks', from: parseWeekStart(tokens) };
    case 'with':
      if (!tokens.takeKeyword('bots')) tokens.fail('expected `with bots`', { words: ['bots'] });
      return { kind: 'withBots' };
    case 'results':
      return parseResults(tokens);
    case 'unbounded':
    case 'cumulative':
      return { kind: keyword };
    case 'unit':
    case 'same':
      return { kind: keyword, field: parseField(tokens) };
    case 'as':
      return parseAsOf(tokens);
    case 'people':
      return { kind: 'people', which: parsePeople(tokens) };
    case 'order':
      return { kind: 'order', steps: parseStepOrder(tokens) };
    case 'model':
      return { kind: 'model', model: parseModel(tokens) };
  }
}

/** `results e`, `results sum f of e`; without `of` of any event. */
function parseResults(tokens: TokenStream): Bare<Stage> {
  const name = PERSON_METRICS.find((word) => word === tokens.keyword);
  if (name === undefined) {
    const other = readMetric(tokens.keyword ?? '');
    const expected = 'expected the event that counts as a conversion, `sum` or `avg`';
    if (other !== null) {
      tokens.fail(expected, {
        hints: [
          `put the name of an event in quotes here: ${quote(tokens.textOf(tokens.peek))}`,
          'the sum of each person is `results sum event_properties.amount of purchase`',
        ],
      });
    }
    return { kind: 'results', event: parseEvent(tokens, expected), metric: null };
  }
  tokens.take();
  const field = parseNumberField(tokens);
  const everyEvent = { name: null, start: tokens.end, end: tokens.end };
  const event = tokens.takeKeyword('of') ? parseEvent(tokens, 'expected the event whose numbers count') : everyEvent;
  return { kind: 'results', event, metric: { name, field } };
}

const PERSON_METRICS = ['sum', 'avg'] as const;

/** Fields, or none. */
function parseListed(tokens: TokenStream): FieldRef[] {
  if (!atField(tokens)) return [];
  const fields = [parseField(tokens)];
  while (tokens.takeSymbol(',')) {
    if (fields.length >= MAX_COLUMNS) tokens.fail(`expected at most ${MAX_COLUMNS} fields`);
    fields.push(parseField(tokens));
  }
  return fields;
}

/** `from monday`, `from sunday`. */
function parseWeekStart(tokens: TokenStream): WeekStart {
  if (!tokens.takeKeyword('from')) tokens.fail('expected `from monday` or `from sunday`', { words: ['from'] });
  const day = WEEK_STARTS.find((word) => tokens.takeKeyword(word));
  return day ?? tokens.fail('expected `monday` or `sunday`', { words: WEEK_STARTS });
}

/** `as of each month`, of which the first word is still to be read. */
export function atAsOf(tokens: TokenStream): boolean {
  return tokens.keyword === 'as' && tokens.isBefore('of');
}

function parseAsOf(tokens: TokenStream): Bare<Stage> {
  for (const word of ['of', 'each']) {
    if (!tokens.takeKeyword(word)) tokens.fail('expected `as of each month`', { words: [word] });
  }
  const unit = AS_OF_UNITS.find((one) => one === tokens.keyword);
  if (unit === undefined) return tokens.fail(`expected one of ${AS_OF_UNITS.join(', ')}`, { words: AS_OF_UNITS });
  return { kind: 'asOf', unit, text: tokens.textOf(tokens.take()) };
}

/** `reached 2`, `dormant`, `5`, or nothing. */
function parsePeople(tokens: TokenStream): PeopleNode | null {
  const { start, end } = tokens.peek;
  if (tokens.keyword === null) return null;
  if (/^\d/.test(tokens.keyword)) return { word: null, count: parseCount(tokens, 1), start, end };
  const state = PEOPLE_WORDS.states.find((word) => tokens.takeKeyword(word));
  if (state !== undefined) return { word: state, start, end };
  const word = PEOPLE_WORDS.counted.find((one) => tokens.takeKeyword(one));
  if (word === undefined) {
    const words = [...PEOPLE_WORDS.counted, ...PEOPLE_WORDS.states];
    return tokens.fail('expected which people, `|` or the end of the query', { words, hints: ['`people reached 2`'] });
  }
  return { word, count: parseCount(tokens, word === 'returned' || word === 'lost' ? 0 : 1), start, end };
}

const STEP_ORDERS = ['strict', 'any'] as const;

function parseStepOrder(tokens: TokenStream): 'strict' | 'any' {
  const order = STEP_ORDERS.find((word) => word === tokens.keyword);
  if (order === undefined) {
    return tokens.fail('expected `strict` or `any`, the order of the steps of a funnel', {
      words: STEP_ORDERS,
      hints: foreignHints.stage('order'),
    });
  }
  tokens.take();
  return order;
}

function parseModel(tokens: TokenStream): AttributionModel {
  const model = ATTRIBUTION_MODELS.find((word) => word === tokens.keyword);
  const words = ATTRIBUTION_MODELS;
  if (model === undefined) return tokens.fail(`expected one of ${words.join(', ')}`, { words });
  tokens.take();
  return model;
}

/** `52w ago`. */
function parseAgo(tokens: TokenStream): Duration {
  const token = tokens.peek;
  if (token.kind !== 'word' || !/^\d/.test(token.text)) {
    const hint = 'another range is `compare 1y ago`';
    return tokens.fail('expected `previous`, or a length of time and `ago`', { words: ['previous'], hints: [hint] });
  }
  const duration = parseDuration(tokens);
  if (!tokens.takeKeyword('ago')) tokens.fail('expected `ago` after the length of time', { words: ['ago'] });
  return duration;
}

function parseLatest(tokens: TokenStream): Bare<Stage> {
  const field = parseField(tokens);
  return { kind: 'latest', field, per: tokens.takeKeyword('per') ? parseField(tokens) : null };
}

function parseSort(tokens: TokenStream): Bare<Stage> {
  if (tokens.atArithmetic) {
    const computed = parseNumberField(tokens);
    return { kind: 'sort', column: computed, computed, direction: parseDirection(tokens) };
  }
  const column = parseColumn(tokens);
  const next = tokens.peek;
  if (column.text.toLowerCase() === 'by' && next.kind === 'word' && !['asc', 'desc'].includes(tokens.keyword ?? '')) {
    return tokens.fail('expected `asc`, `desc`, `|` or the end of the query', {
      hints: [`leave \`by\` out: \`sort ${tokens.textOf(next)}\``],
    });
  }
  return { kind: 'sort', column, computed: null, direction: parseDirection(tokens) };
}

function parseDirection(tokens: TokenStream): 'asc' | 'desc' | null {
  if (tokens.takeKeyword('asc')) return 'asc';
  return tokens.takeKeyword('desc') ? 'desc' : null;
}

function parseMetrics(tokens: TokenStream, ofTimes: boolean): MetricNode[] {
  const metrics = [parseMetric(tokens, ofTimes)];
  while (tokens.takeSymbol(',')) {
    if (metrics.length >= MAX_COLUMNS) tokens.fail(`expected at most ${MAX_COLUMNS} metrics`);
    metrics.push(parseMetric(tokens, ofTimes));
  }
  const next = tokens.peek;
  if (next.kind === 'word' && tokens.keyword !== 'by' && !atAsOf(tokens)) {
    const text = tokens.textOf(next);
    const foreign = foreignHints.afterMetrics(text);
    const hints = [startsStage(text) ? `did you mean \`| ${text}\`?` : `did you mean \`by ${text}\`?`];
    const expectation = foreign.length > 0 ? { hints: foreign } : { words: ['by', 'as'], hints };
    tokens.fail(AFTER_METRIC, expectation);
  }
  return metrics;
}

function parseMetric(tokens: TokenStream, ofTimes: boolean): MetricNode {
  const metric = parseUnnamed(tokens, ofTimes);
  return { ...metric, alias: parseAlias(tokens) };
}

/** A metric of rows, `sum field[condition]`, or one of metrics, `sum of count per field`. */
function parseUnnamed(tokens: TokenStream, ofTimes: boolean): MetricNode {
  const token = tokens.peek;
  const { word, metric } = peekMetric(tokens, `expected a metric: ${METRICS.join(', ')}, p1 to p99`);
  tokens.take();
  const span = { start: token.start, end: token.end };
  const parts =
    tokens.keyword === 'of' ? parsePer(tokens, metric.name) : parseOfRows(tokens, { word, ofTimes, name: metric.name });
  return { ...metric, word, ...parts, text: tokens.query.slice(span.start, tokens.end), alias: null, ...span };
}

type MetricParts = Pick<MetricNode, 'of' | 'field' | 'where'>;

/** @param of `ofTimes`: it needs no field, as it is of times. */
function parseOfRows(
  tokens: TokenStream,
  { word, name, ofTimes }: Pick<MetricNode, 'word' | 'name'> & { readonly ofTimes: boolean },
): MetricParts {
  const { field } = METRIC_TRAITS[name];
  if (tokens.atSymbol('(') && field === 'none') tokens.fail(AFTER_METRIC, { hints: hintsOfCall(word) });
  const mayFollow = tokens.keyword !== 'as' && tokens.keyword !== 'per' && (atField(tokens) || tokens.atSymbol('('));
  const takesField = (field === 'required' && !ofTimes) || (field !== 'none' && mayFollow);
  return { of: null, field: takesField ? parseNumberField(tokens) : null, where: parseFilter(tokens) };
}

/** `of <metric> per <field>`. */
function parsePer(tokens: TokenStream, name: MetricNode['name']): MetricParts {
  if (!isAggregate(name)) {
    tokens.fail('expected a metric that makes one number of several before `of`', {
      hints: ['sum, avg, min, max, median, stddev and p1 to p99 do'],
    });
  }
  tokens.take();
  const { start } = tokens.peek;
  const of = parseUnnamed(tokens, false);
  if (of.of !== null || METRIC_TRAITS[of.name].value === 'text') {
    const hint = of.of === null ? 'the values of this one are texts' : 'there is only one `of` in a metric';
    throw new QueryError(tokens.query, start, 'expected a metric of numbers after `of`', { hints: [hint] });
  }
  if (!tokens.takeKeyword('per')) {
    tokens.fail('expected `per` and a field', { words: ['per'], hints: ['avg of count per distinct_id'] });
  }
  const field = parseField(tokens);
  if (tokens.atSymbol('[')) {
    tokens.fail('expected the condition before `per`', { hints: ['avg of count[condition] per distinct_id'] });
  }
  return { of, field, where: null };
}

/** `as name`. `as of each` is a stage: an alias `of` stands in quotes, and so does `by`, which is rather a name left out. */
function parseAlias(tokens: TokenStream): StringRef | null {
  if (tokens.isBefore('of') || !tokens.takeKeyword('as')) return null;
  const token = tokens.peek;
  const isName = token.kind === 'word' && token.quoted === null && tokens.keyword !== 'by';
  if (token.kind !== 'string' && !isName) tokens.fail('expected a name for the column after `as`');
  tokens.take();
  return { value: token.kind === 'string' ? token.value : tokens.textOf(token), start: token.start, end: token.end };
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

/** Also true at p0 and p100, so that the error names the bounds. */
function atMetric(tokens: TokenStream): boolean {
  const word = tokens.keyword ?? '';
  return readMetric(word) !== null || /^p[0-9]+$/.test(word);
}

function failAtStage(tokens: TokenStream): never {
  const words = [...ALL_STAGES, ...METRICS];
  const hints = foreignHints.stage(tokens.keyword ?? (tokens.atSymbol('|') ? '|' : ''));
  return tokens.fail(`expected a stage: ${words.join(', ')}, p1 to p99`, hints.length > 0 ? { hints } : { words });
}

const CALENDAR = ['week', 'month', 'quarter', 'year'] as const;

/** What follows `this`. */
function parseThis(tokens: TokenStream): RangeNode {
  const unit = CALENDAR.find((word) => word === tokens.keyword);
  if (unit === undefined) return tokens.fail(`expected one of ${CALENDAR.join(', ')}`, { words: CALENDAR });
  tokens.take();
  return { kind: 'this', unit };
}
