/** The stages of a query, checked against its source: which it takes, and which only once. */
import { QueryError } from '../errors.ts';
import { METRICS } from '../plan/metrics.ts';
import type { ByNode, ConditionNode, Query, Source, SourceKind, Span, Stage, StageKind } from '../parse/syntax.ts';

export type StageOf<K extends StageKind> = Stage & { readonly kind: K };

/** The stages by what they set, whatever their order. */
export interface Stages {
  /** A stage that occurs at most once, or null. */
  one<K extends Exclude<StageKind, 'where' | 'having'>>(kind: K): StageOf<K> | null;
  readonly where: readonly ConditionNode[];
  readonly whereAfterLatest: readonly ConditionNode[];
  readonly having: readonly ConditionNode[];
  /** From `by`, alone or after metrics. */
  readonly groups: ByNode | null;
}

/** Throws QueryError for a stage that the source does not take, and for a second one that sets the same thing. */
export function gatherStages(query: string, tree: Query): Stages {
  const check = new Checker(query, tree.source);
  for (const stage of tree.stages) check.add(stage);
  check.finish();
  return check;
}

const EVERYWHERE = ['where', 'range', 'tz', 'weeks', 'withBots', 'having', 'limit', 'offset'] as const;
const OF_EVENTS = ['metrics', 'by', 'list', 'latest', 'asOf', 'sort', 'top', 'share'] as const;
const ROLLED = ['rolling', 'cumulative'] as const;

/** `by` counts as a stage of its own, even after metrics. */
const TAKEN: Readonly<Record<SourceKind, readonly StageKind[]>> = {
  events: [...EVERYWHERE, ...OF_EVENTS, ...ROLLED, 'compare', 'people'],
  user: [...EVERYWHERE, ...OF_EVENTS, ...ROLLED],
  users: [...EVERYWHERE, 'metrics', 'by', 'list', 'sort', 'top', ...ROLLED, 'share', 'compare'],
  sessions: [...EVERYWHERE, 'metrics', 'by', 'sort', 'top', ...ROLLED, 'share', 'compare', 'people'],
  funnel: [...EVERYWHERE, 'by', 'window', 'order', 'same', 'unit', 'metrics', 'compare', 'people'],
  retention: [...EVERYWHERE, 'by', 'periods', 'unbounded', 'metrics', 'cumulative', 'people'],
  paths: [...EVERYWHERE, 'by', 'window', 'depth', 'top', 'share', 'people'],
  lifecycle: [...EVERYWHERE, 'by', 'compare', 'people'],
  formula: [...EVERYWHERE, 'by', 'sort', ...ROLLED, 'compare'],
  choice: [...EVERYWHERE, 'metrics', 'by', 'sort', 'top', 'share', 'compare', 'results', 'unit', 'window', 'people'],
  attribution: [...EVERYWHERE, 'by', 'model', 'window', 'metrics', 'sort', 'top'],
  stickiness: [...EVERYWHERE, 'share', 'people'],
  fields: EVERYWHERE,
  inspect: [...EVERYWHERE, 'share'],
};

/** What may follow `people`, whatever the source takes. */
const AFTER_PEOPLE: readonly StageKind[] = ['having', 'sort', 'limit', 'offset'];

/** What makes other rows than those of persons. */
const NOT_WITH_PEOPLE = ['list', 'latest', 'top', 'share', 'compare', ...ROLLED] as const;

/** What a stage sets; each may be set once. */
const SETS: Readonly<Record<StageKind, readonly string[]>> = {
  where: [],
  having: [],
  share: ['the share'],
  compare: ['the comparison'],
  range: ['the range'],
  metrics: ['the metrics'],
  list: ['the metrics'],
  rolling: ['the windows'],
  cumulative: ['the windows'],
  latest: ['the metrics'],
  by: ['the groups'],
  sort: ['the order'],
  top: ['the order', 'the cut'],
  limit: ['the cut'],
  offset: ['the offset'],
  window: ['the window'],
  depth: ['the depth'],
  periods: ['the periods'],
  unbounded: ['what a period counts'],
  tz: ['the time zone'],
  weeks: ['the start of weeks'],
  withBots: ['whether bots count'],
  results: ['the results'],
  unit: ['the unit'],
  order: ['the order of the steps'],
  same: ['what steps have in common'],
  asOf: ['the moments'],
  model: ['the model'],
  people: ['the people'],
};

class Checker implements Stages {
  readonly where: ConditionNode[] = [];
  readonly whereAfterLatest: ConditionNode[] = [];
  readonly having: ConditionNode[] = [];
  groups: ByNode | null = null;
  readonly #query: string;
  readonly #source: Source;
  readonly #stages: Stage[] = [];
  readonly #set = new Map<string, Span>();

  constructor(query: string, source: Source) {
    this.#query = query;
    this.#source = source;
  }

  one<K extends Exclude<StageKind, 'where' | 'having'>>(kind: K): StageOf<K> | null {
    return this.#stages.find((stage): stage is StageOf<K> => stage.kind === kind) ?? null;
  }

  add(stage: Stage): void {
    this.#checkTaken(stage.kind, stage);
    if (stage.kind === 'where') {
      (this.one('latest') === null ? this.where : this.whereAfterLatest).push(stage.condition);
      return;
    }
    if (stage.kind === 'having') {
      this.having.push(stage.condition);
      return;
    }
    if (stage.kind === 'metrics' && this.one('latest') !== null && this.one('metrics') === null) {
      this.#set.delete('the metrics'); // `latest` may be followed by metrics over its rows
    }
    this.#setOnce(stage.kind, stage);
    this.#stages.push(stage);
    if (stage.kind === 'metrics' && stage.by !== null) {
      this.#checkTaken('by', stage.by);
      this.#setOnce('by', stage.by);
    }
    if (stage.kind === 'metrics' || stage.kind === 'by') this.groups = stage.by ?? this.groups;
  }

  /** Checks that need all stages. */
  finish(): void {
    const list = this.one('list');
    if (list !== null && this.groups !== null) {
      const later = list.start > this.groups.start ? list : this.groups;
      throw this.#error(later, '`list` shows single rows and cannot be grouped', ['remove `list` or `by`']);
    }
    const asOf = this.one('asOf');
    if (asOf !== null && this.one('latest') === null) {
      throw this.#error(asOf, 'expected `latest` too, of which `as of each` shows the values', [
        '| latest user_properties.plan | count by last_value as of each month',
      ]);
    }
    if (this.#source.kind === 'choice') this.#checkChoice();
    const people = this.one('people');
    const other = NOT_WITH_PEOPLE.map((kind) => this.one(kind)).find((stage) => stage !== null);
    if (people !== null && other !== undefined) {
      const word = this.#query.slice(other.start, other.end);
      throw this.#error(people, `\`people\` has a row for each person: expected no \`${word}\``, []);
    }
  }

  #checkChoice(): void {
    const results = this.one('results');
    if (results === null) {
      const lone = this.one('window') ?? this.one('unit');
      if (lone !== null) {
        throw this.#error(lone, 'expected `results` too: `window` and `unit` need it', ['| results <event>']);
      }
      return;
    }
    const metrics = this.one('metrics');
    if (metrics !== null) {
      const sentence = 'the columns of `results` are fixed: expected no metrics with it';
      throw this.#error(metrics.start > results.start ? metrics : results, sentence, [
        '| results sum event_properties.amount of purchase',
      ]);
    }
  }

  #checkTaken(part: StageKind, span: Span): void {
    if (this.one('people') !== null && part !== 'people') {
      if (AFTER_PEOPLE.includes(part)) return;
      const word = this.#query.slice(span.start, span.end);
      throw this.#error(span, `expected one of ${AFTER_PEOPLE.join(', ')} after \`people\`, found \`${word}\``, [
        'put it before `people`',
      ]);
    }
    const taken = TAKEN[this.#source.kind];
    if (!taken.includes(part)) {
      const word = this.#query.slice(span.start, span.end);
      const list = taken.map((kind) => WORDS[kind] ?? kind).join(', ');
      const source = this.#source.kind === 'events' ? 'an event source' : `\`${this.#source.kind}\``;
      throw this.#error(span, `${source} does not take \`${word}\`; expected one of: ${list}`, []);
    }
  }

  #setOnce(kind: StageKind, span: Span): void {
    for (const thing of SETS[kind]) {
      const first = this.#set.get(thing);
      if (first !== undefined) {
        const word = this.#query.slice(first.start, first.end);
        throw this.#error(span, `expected ${thing} once: \`${word}\` already sets it`, []);
      }
      this.#set.set(thing, span);
    }
  }

  #error(span: Span, sentence: string, hints: readonly string[]): QueryError {
    return new QueryError(this.#query, span.start, sentence, { hints });
  }
}

/** What stands for a stage in queries, where that is not its name. */
const WORDS: Partial<Readonly<Record<StageKind, string>>> = {
  range: 'last, from, since, all, today, yesterday, this',
  asOf: 'as of each',
  withBots: 'with bots',
  metrics: [...METRICS, 'p1 to p99'].join(', '),
};
