/** The earlier range of numbers and charts, for which the language has a stage: it brings each metric's value before beside the metric. */
import { parse } from '../dsl/parse/parse.ts';
import type { Query, SourceKind, Stage } from '../dsl/parse/syntax.ts';
import type { Envelope } from './data.ts';

/** The query with that stage; the same if it compares by itself, or has nothing to compare. */
export function comparing(q: string): string {
  return needsNoComparison(q) || !hasMetrics(parse(q)) ? q : withComparison(q);
}

/** Whether it compares by itself, or nothing is before its range. */
export function needsNoComparison(q: string): boolean {
  const { stages } = parse(q);
  return stages.some((stage) => stage.kind === 'compare' || (stage.kind === 'range' && stage.range.kind === 'all'));
}

/** On a line of its own: the query may end in a comment. */
export const withComparison = (q: string): string => `${q}\n| compare previous`;

/** Sources of metrics that an earlier range has, too. */
const COMPARED: readonly SourceKind[] = ['events', 'sessions', 'funnel', 'lifecycle', 'formula', 'choice'];
/** Stages that answer something else. */
const OTHERS: readonly Stage['kind'][] = ['list', 'people', 'results'];

function hasMetrics({ source, stages }: Query): boolean {
  const has = (kind: Stage['kind']): boolean => stages.some((stage) => stage.kind === kind);
  const isOne = COMPARED.includes(source.kind) || (source.kind === 'users' && has('metrics'));
  return isOne && !OTHERS.some(has) && (!has('latest') || has('asOf'));
}

/** The column with the earlier values of a metric. */
export function previousOf(metric: string): string {
  return `${metric}_previous`;
}

const NOTE = /^Compared with (\S+) to (\S+)\./;

/** The range that an answer is compared with, from the note that names it, RFC 3339; null: it compares with none. */
export function comparedRange({
  notes,
}: Pick<Envelope, 'notes'>): { readonly from: string; readonly to: string } | null {
  for (const note of notes) {
    const [, from, to] = NOTE.exec(note) ?? [];
    if (from !== undefined && to !== undefined) return { from, to };
  }
  return null;
}
