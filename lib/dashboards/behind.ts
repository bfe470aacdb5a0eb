/**
 * The query that shows who or what is behind a part of an answer: what one click in it asks. These are people where the language
 * has `people` for the source, else the profiles or events themselves.
 */
import { lex, type Lexeme } from '../dsl/parse/lex.ts';
import { quote } from '../dsl/parse/lex-string.ts';
import { parse } from '../dsl/parse/parse.ts';
import type { GroupNode, MetricNode, Query, SourceKind, Stage } from '../dsl/parse/syntax.ts';

/** A cell of a group: a text, of bins a number, of who converted true or false. */
export type GroupCell = string | number | boolean | null;

/** Cells of groups, by column. */
export type ChosenCells = Readonly<Record<string, GroupCell>>;

/** Which part of an answer; what is left out does not choose. */
export interface AnswerPart {
  /** Behind `people`. */
  readonly which?: string;
  readonly chosen?: ChosenCells;
  /** The column of its number. */
  readonly metric?: string;
  /** The time that it alone is of, as RFC 3339 or a date in the query's zone; `to` is not included. */
  readonly range?: { readonly from: string; readonly to: string };
  /** The paths that it is of, as answers print them. */
  readonly paths?: readonly string[];
}

/** Bytes; a query has at most so many. */
const LONGEST = 16_384;

/** Stages that work on the rows of the answer, not on whom these are of. */
const OF_ROWS: readonly Stage['kind'][] = ['having', 'share', 'compare', 'sort', 'top', 'limit', 'offset'];

export class Behind {
  readonly #q: string;
  readonly #tree: Query;
  readonly #zone: readonly string[];
  /** What stands between the bars, with its stage; the first is the source. */
  readonly #written: readonly { readonly text: string; readonly end: number; readonly stage: Stage | null }[];

  /** @param q Must be right. @param timezone Of the answer, unless the query names one; null: the project's. */
  constructor(q: string, timezone: string | null) {
    this.#q = q;
    this.#tree = parse(q);
    this.#zone = timezone === null || this.#has('tz') ? [] : [`tz ${quote(timezone)}`];
    const pipes = lex(q).filter(isPipe);
    const ends = [...pipes.map(({ start }) => start), q.length];
    this.#written = ends.map((end, at) => {
      const begin = at === 0 ? 0 : ends[at - 1]! + 1;
      const stage = this.#tree.stages.find(({ start }) => at > 0 && start >= begin && start < end) ?? null;
      return { text: q.slice(begin, end).trim(), end, stage };
    });
  }

  get source(): SourceKind {
    return this.#tree.source.kind;
  }

  /** null: the language has no query for it. */
  of(part: AnswerPart): string | null {
    const query = this.#queryOf(part);
    return query === null || new TextEncoder().encode(query).length > LONGEST ? null : query;
  }

  #queryOf(part: AnswerPart): string | null {
    if (this.#has('people', 'latest', 'list', 'rolling', 'cumulative')) return null;
    const { chosen = {} } = part;
    switch (this.source) {
      case 'events':
        return 'session_id' in chosen || this.#groups().some(isPerson) ? this.#rows(part) : this.#people(part);
      case 'sessions':
        return 'session_id' in chosen ? this.#rows(part, '*') : this.#people(part);
      case 'user':
      case 'users':
        return this.#rows(part);
      case 'inspect':
        return typeof chosen['event_type'] === 'string' ? this.#ofEvent(chosen['event_type'], part) : null;
      case 'funnel':
        return this.#has('unit') ? null : this.#people(part);
      case 'retention':
        return this.#has('metrics') ? null : this.#people(part);
      case 'lifecycle':
        return part.which === undefined || part.range === undefined ? null : this.#people(part);
      case 'stickiness':
        return part.which === undefined ? null : this.#people(part);
      case 'choice':
        return this.#has('unit') ? null : this.#people(part);
      case 'paths':
        return this.#people(part);
      default:
        return null;
    }
  }

  /** The other stages, in the order of writing, then `people` and the choice of its rows. */
  #people(part: AnswerPart): string | null {
    const condition = this.#metricCondition(part.metric);
    if (condition === null) return null;
    const { chosen = {}, paths, which = '' } = part;
    const wanted = Object.entries(chosen).map(([column, cell]) => `${quote(column)} = ${literal(cell)}`);
    if (paths !== undefined) wanted.push(`path in (${paths.map(quote).join(', ')})`);
    const having = wanted.length === 0 ? [] : [`having ${wanted.join(' and ')}`];
    const range = this.source === 'lifecycle' ? part.range : undefined; // elsewhere the groups choose
    return this.#query(range, [...condition, `people ${which}`.trim(), ...having]);
  }

  /** The profiles or events themselves. @param source In place of the query's. */
  #rows(part: AnswerPart, source?: string): string | null {
    const condition = this.#metricCondition(part.metric);
    const wanted = Object.entries(part.chosen ?? {}).map(([column, cell]) => this.#groupCondition(column, cell, part));
    if (condition === null || wanted.includes(null)) return null;
    const chosen = wanted.filter((one) => one !== null && one !== '');
    const where = chosen.length === 0 ? [] : [`where ${chosen.join(' and ')}`];
    return this.#query(part.range, [...condition, ...where, 'list'], { source, isOfRows: true });
  }

  /** Of a row of `inspect`. */
  #ofEvent(name: string, part: AnswerPart): string | null {
    if (this.#tree.source.kind !== 'inspect' || this.#tree.source.event.name !== null) return null;
    const range = this.#has('range') ? [] : ['last 30d'];
    return this.#query(undefined, [...range, part.metric === 'users' ? 'people' : 'list'], { source: quote(name) });
  }

  #query(
    range: AnswerPart['range'],
    last: readonly string[],
    { source, isOfRows = false }: { readonly source?: string | undefined; readonly isOfRows?: boolean } = {},
  ): string {
    const isFunnel = this.source === 'funnel'; // whose metrics are of the time between its steps
    const [first, ...others] = this.#written;
    const stages = others.flatMap(({ text, end, stage }) => {
      if (stage === null) return [text];
      if (OF_ROWS.includes(stage.kind) || (range !== undefined && stage.kind === 'range')) return [];
      if (isOfRows && (stage.kind === 'by' || stage.kind === 'metrics')) return [];
      if (stage.kind !== 'metrics' || stage.metrics.every(isOfAllRows))
        return isFunnel && stage.kind === 'metrics' ? [] : [text];
      return stage.by === null ? [] : [this.#q.slice(stage.by.start, end).trim()];
    });
    const own = range === undefined ? [] : [`from ${quote(range.from)} to ${quote(range.to)}`];
    const from = source ?? (first?.text === '' ? '*' : (first?.text ?? '*'));
    return [from, ...stages, ...own, ...this.#zone, ...last].join('\n| '); // on a line of its own: a stage may end in a comment
  }

  /** The condition of the metric whose number it is, as a stage; null: its people cannot be told from those of the group. */
  #metricCondition(column: string | undefined): readonly string[] | null {
    const { source, stages } = this.#tree;
    if (source.kind === 'funnel') return [];
    const metrics = stages.flatMap((stage) => (stage.kind === 'metrics' ? stage.metrics : []));
    const own = metrics.find((metric) => (metric.alias?.value ?? metric.text) === column) ?? (metrics.length === 1 ? metrics[0] : undefined); // prettier-ignore
    if (own === undefined) return column === undefined && metrics.every(({ where }) => where !== null) && metrics.length > 0 ? null : []; // prettier-ignore
    if (own.where === null) return [];
    return source.kind === 'sessions' ? null : [`where ${conditionText(own)}`]; // there it is of first events, and `where` of all
  }

  /** What chooses the rows of a group; '': the range does. null: the language has nothing for it. */
  #groupCondition(column: string, cell: GroupCell, { range }: AnswerPart): string | null {
    const group = this.#groups().find(({ text }) => text === column);
    if (group?.kind === 'bucket') return range === undefined ? null : '';
    if (group?.kind !== 'field' || group.bin !== undefined || group.field.arithmetic !== undefined) return null;
    return group.each === true && cell !== null
      ? `${group.field.text} has ${literal(cell)}`
      : `${group.field.text} = ${literal(cell)}`;
  }

  #groups(): readonly GroupNode[] {
    return this.#tree.stages.flatMap((stage) =>
      stage.kind === 'by' || stage.kind === 'metrics' ? (stage.by?.groups ?? []) : [],
    );
  }

  #has(...kinds: readonly Stage['kind'][]): boolean {
    return this.#tree.stages.some(({ kind }) => kinds.includes(kind));
  }
}

const isPipe = (token: Lexeme): boolean => token.kind === 'symbol' && token.symbol === '|';

const literal = (cell: GroupCell): string => (typeof cell === 'string' ? quote(cell) : String(cell));

/** `people` takes no other metrics. */
const isOfAllRows = ({ of, where }: MetricNode): boolean => of === null && where === null;

/** `people` takes no such group: its rows have the person anyway. */
const isPerson = (group: GroupNode): boolean => group.kind === 'field' && group.field.name === 'distinct_id';

/** What stands in brackets behind a metric. */
function conditionText({ text }: MetricNode): string {
  const open = lex(text).find((token) => token.kind === 'symbol' && token.symbol === '[');
  return text.slice(open?.end ?? 0, text.lastIndexOf(']')).trim();
}
