/** The query that shows who is behind a part of a card's answer: what one click in it asks. */
import { lex, type Lexeme } from '../dsl/parse/lex.ts';
import { quote } from '../dsl/parse/lex-string.ts';
import { parse } from '../dsl/parse/parse.ts';
import type { Query, Stage } from '../dsl/parse/syntax.ts';

/** Cells of groups that the persons have, by column. */
export type Chosen = Readonly<Record<string, string | number | null>>;

export interface PeopleAsked {
  /** Behind `people`. */
  readonly which?: string;
  readonly chosen?: Chosen;
  /** null: the project's. */
  readonly timezone: string | null;
}

/** Stages that work on the rows of the answer, not on whom these are of. */
const OF_ROWS: readonly Stage['kind'][] = ['having', 'share', 'compare', 'rolling', 'cumulative', 'sort', 'top', 'limit', 'offset']; // prettier-ignore

/** The other stages, in the order of writing; `which` and a choice of groups follow. null: the answer is of no persons, or of others. */
export function peopleQuery(q: string, { which = '', chosen = {}, timezone }: PeopleAsked): string | null {
  const tree = parse(q);
  if (!hasPeople(tree)) return null;
  const pipes = lex(q).filter(isPipe);
  const ends = [...pipes.map(({ start }) => start), q.length];
  const kept = ends.flatMap((end, part) => {
    const begin = part === 0 ? 0 : ends[part - 1]! + 1;
    const stage = tree.stages.find(({ start }) => part > 0 && start >= begin && start < end);
    const isOfRows = stage !== undefined && (OF_ROWS.includes(stage.kind) || isMeasure(tree, stage));
    return isOfRows ? [] : [q.slice(begin, end).trim()];
  });
  const zone = timezone === null || tree.stages.some(({ kind }) => kind === 'tz') ? [] : [`tz ${quote(timezone)}`];
  const conditions = Object.entries(chosen).map(([column, cell]) => `${quote(column)} = ${literal(cell)}`);
  const having = conditions.length === 0 ? [] : [`having ${conditions.join(' and ')}`];
  const source = kept[0] === '' ? ['*', ...kept.slice(1)] : kept;
  return [...source, ...zone, `people ${which}`.trim(), ...having].join('\n| '); // on a line of its own: a stage may end in a comment
}

const isPipe = (token: Lexeme): boolean => token.kind === 'symbol' && token.symbol === '|';

const literal = (cell: string | number | null): string => (typeof cell === 'string' ? quote(cell) : String(cell));

/** Of a funnel: of the time between its steps. */
const isMeasure = ({ source }: Query, { kind }: Stage): boolean => source.kind === 'funnel' && kind === 'metrics';

function hasPeople({ source, stages }: Query): boolean {
  const isOneOf = (...kinds: readonly Stage['kind'][]): boolean => stages.some(({ kind }) => kinds.includes(kind));
  switch (source.kind) {
    case 'funnel':
      return !isOneOf('unit', 'people');
    case 'retention':
      return !isOneOf('metrics', 'people');
    case 'events':
    case 'sessions':
      return !isOneOf('list', 'latest', 'people') && stages.every(isOfAllRows);
    default:
      return false;
  }
}

/** Metrics of some rows, and of metrics, are of other persons than the groups. */
const isOfAllRows = (stage: Stage): boolean =>
  stage.kind !== 'metrics' || stage.metrics.every(({ of, where }) => of === null && where === null);
