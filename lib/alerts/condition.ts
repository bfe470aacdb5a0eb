/** When an alert fires: `any count < 10`, `all unique >= 1`, `change < -20 %`, `no rows`, `any rows`. */
import type { JsonRecord } from '../base/is-record.ts';
import { comparing } from '../dashboards/comparison.ts';
import { shortened } from '../base/text/shown.ts';

export type AlertCondition =
  | { readonly kind: 'rows'; readonly any: boolean }
  | {
      readonly kind: 'cells';
      readonly of: 'any' | 'all';
      /** null: the change of every metric, which the query's `compare` brings. */
      readonly column: string | null;
      readonly operator: keyof typeof COMPARES;
      readonly value: number;
    };

const COMPARES = {
  '<': (a: number, b: number): boolean => a < b,
  '<=': (a: number, b: number): boolean => a <= b,
  '>': (a: number, b: number): boolean => a > b,
  '>=': (a: number, b: number): boolean => a >= b,
  '=': (a: number, b: number): boolean => a === b,
  '!=': (a: number, b: number): boolean => a !== b,
} as const;

const CELLS =
  /^(?:(any|all) ("[^"]{1,200}"|[\w.$-]{1,200})|change) ?(<=|>=|<|>|=|!=) ?(-?\d{1,15}(?:\.\d{1,15})?) ?(%?)$/;

/** null: it is none. A percentage is a hundredth, as answers have ratios. */
export function parseAlertCondition(text: string): AlertCondition | null {
  const words = text.trim().replaceAll(/\s+/g, ' ');
  if (words === 'no rows' || words === 'any rows') return { kind: 'rows', any: words === 'any rows' };
  const [, of, column, operator = '', value, percent] = CELLS.exec(words) ?? [];
  if (value === undefined || !isOperator(operator)) return null;
  if (of === undefined && percent === '') return null; // of a change, 20 could mean both
  return {
    kind: 'cells',
    of: of === 'all' ? 'all' : 'any',
    column: column?.replace(/^"(.*)"$/, '$1') ?? null,
    operator,
    value: percent === '' ? Number(value) : Number(value) / 100,
  };
}

const isOperator = (word: string): word is keyof typeof COMPARES => Object.hasOwn(COMPARES, word);

export const CONDITION_FORMS = '`any count < 10`, `all "count" >= 1`, `change < -20 %`, `no rows` or `any rows`';

/** What is asked: a change needs the query compared with an earlier range. */
export const queryOfAlert = (query: string, condition: AlertCondition | null): string =>
  condition?.kind === 'cells' && condition.column === null ? comparing(query) : query;

export interface AlertAnswer {
  readonly columns: readonly string[];
  readonly rows: readonly JsonRecord[];
}

/** The columns that a condition looks at, of those of an answer; none: it lacks them. */
export function columnsOfCondition({ column }: Extract<AlertCondition, { kind: 'cells' }>, columns: readonly string[]): readonly string[] {
  if (column !== null) return columns.filter((name) => name === column);
  return columns.filter((name) => name.endsWith(CHANGE) && columns.includes(name.slice(0, -CHANGE.length)));
} // prettier-ignore

const CHANGE = '_change';
/** Rows that are told of. */
const MOST_SEEN = 5;

/** Whether it holds, with what was seen in a sentence; `problem`: why nobody can tell. A cell that is no number meets nothing. */
export function judge(condition: AlertCondition, { columns, rows }: AlertAnswer): { readonly met: boolean; readonly saw: string } | { readonly problem: string } {
  if (condition.kind === 'rows') return { met: rows.length > 0 === condition.any, saw: seen(columns, rows) };
  const looked = columnsOfCondition(condition, columns);
  if (looked.length === 0) {
    const wanted = condition.column === null ? 'no change of a metric' : `no column ${JSON.stringify(condition.column)}`;
    return { problem: `the answer has ${wanted}; it has ${shortened(columns.join(', '), 500)}` };
  }
  const compare = COMPARES[condition.operator];
  const meets = (row: JsonRecord): boolean =>
    looked.some((name) => typeof row[name] === 'number' && compare(row[name], condition.value));
  const meeting = rows.filter(meets);
  const met = condition.of === 'any' ? meeting.length > 0 : rows.length > 0 && meeting.length === rows.length;
  return { met, saw: seen(columns, meeting.length > 0 ? meeting : rows) };
} // prettier-ignore

function seen(columns: readonly string[], rows: readonly JsonRecord[]): string {
  if (rows.length === 0) return 'no rows';
  const shown = rows.slice(0, MOST_SEEN).map((row) => shortened(columns.map((name) => `${name} ${cellShown(name, row[name])}`).join(', '), 200)); // prettier-ignore
  const left = rows.length - shown.length;
  return [...shown, ...(left > 0 ? [`${left} more rows`] : [])].join('; ');
}

/** A cell of an answer in JSON, as people read it. */
export function cellShown(name: string, value: unknown): string {
  if (value === null || value === undefined) return '(none)';
  if (typeof value === 'number') return name.endsWith(CHANGE) ? `${Number((value * 100).toFixed(1))} %` : String(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
