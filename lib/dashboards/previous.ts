/** The period before an answer's, for comparing numbers. */
import { lex } from '../dsl/parse/lex.ts';
import { parse } from '../dsl/parse/parse.ts';
import type { RangeNode } from '../dsl/parse/syntax.ts';
import { addMonths } from '../dsl/time/calendar.ts';
import type { Envelope } from './data.ts';
import { DAY_MS } from '../base/day.ts';

/**
 * The same query over the period before, by the range of its answer: for `last 7d` the 7 days before, for `this month` the same
 * days of the month before, for dates as many days before. null for `all`.
 */
export function previousQuery(q: string, { range }: Pick<Envelope, 'range'>): string | null {
  const stage = parse(q).stages.find((one) => one.kind === 'range');
  const before = shifted(stage?.range ?? null, range);
  if (before === null) return null;
  const replaced = `from "${before.from}" to "${before.to}"`;
  if (stage === undefined) return `${q}\n| ${replaced}`; // on a line of its own: the query may end in a comment
  const next = lex(q).find(({ start, ...token }) => start > stage.start && 'symbol' in token && token.symbol === '|');
  return `${q.slice(0, stage.start)}${replaced}${next === undefined ? '' : ` ${q.slice(next.start)}`}`;
}

/** What a query that compares by itself found in its earlier range, under the names of its metrics; null: it does not compare. */
export function comparedBefore(answer: Envelope): Envelope | null {
  const compared = answer.column_types.filter(
    ({ name, role }) => role === 'metric' && answer.columns.includes(`${name}_previous`),
  );
  if (compared.length === 0) return null;
  const before = (row: Envelope['rows'][number]): Envelope['rows'][number] => ({
    ...row,
    ...Object.fromEntries(compared.map(({ name }) => [name, row[`${name}_previous`]])),
  });
  return { ...answer, rows: answer.rows.map(before) };
}

type Shift = { readonly months: number } | { readonly days: number };

/** Times as the language reads them; without an offset they are in the query's zone. */
function shifted(node: RangeNode | null, { from, to }: Envelope['range']): { from: string; to: string } | null {
  if (node === null || node.kind === 'last') {
    const [start, length] = [Date.parse(from), Date.parse(to) - Date.parse(from)];
    return { from: new Date(start - length).toISOString(), to: new Date(start).toISOString() };
  }
  const shift = shiftOf(node, wallClock(to) - wallClock(from));
  return shift === null ? null : { from: moved(from, shift), to: moved(to, shift) };
}

function shiftOf(node: Exclude<RangeNode, { kind: 'last' }>, length: number): Shift | null {
  if (node.kind === 'all') return null;
  if (node.kind === 'from') return { days: Math.max(1, Math.ceil(length / DAY_MS)) };
  if (node.kind !== 'this') return { days: 1 };
  return node.unit === 'week' ? { days: 7 } : { months: { month: 1, quarter: 3, year: 12 }[node.unit] };
}

/** A time without its offset, in milliseconds as if it were UTC: days of 23 and 25 hours count as 24. */
function wallClock(time: string): number {
  return Date.parse(`${time.slice(0, 23)}Z`);
}

function moved(time: string, shift: Shift): string {
  const clock = wallClock(time);
  const before = 'days' in shift ? clock - shift.days * DAY_MS : addMonths(clock, -shift.months);
  return new Date(before).toISOString().slice(0, 23);
}
