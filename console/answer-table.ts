/** The rows of an answer as a table that its heads sort. */
import { cell, isNumeric, looksOf, type Row } from './answer-cells.ts';
import type { LinkCell } from './answer-links.ts';
import { made } from './element.ts';
import type { Answer, Column } from './questions.ts';

type Direction = 'ascending' | 'descending';

interface Sorted {
  readonly column: Column;
  readonly direction: Direction;
}

interface TableOptions {
  /** For screen readers. */
  readonly label: string;
  /** Asks for all rows in another order, of an answer of which only a page is here; null: all are, and the table sorts them. */
  readonly sortAll: ((column: string, direction: 'asc' | 'desc') => void) | null;
  readonly link: LinkCell;
}

/** A region that scrolls; omits columns that are empty in every row, as Markdown does. */
export function answerTable(answer: Answer, { label, sortAll, link }: TableOptions): HTMLElement {
  const columns = keptColumns(answer);
  const looks = looksOf(columns, answer.rows);
  const body = made('tbody');
  const fill = (rows: readonly Row[]): void =>
    body.replaceChildren(
      ...rows.map((row) => {
        const line = made('tr');
        for (const column of columns) {
          const place = cell(column, row, looks.get(column.name)!);
          link(place, row, column.name);
          line.append(place);
        }
        return line;
      }),
    );
  fill(answer.rows);
  const heads = columns.map(headOf);
  let sorted: Sorted | null = null;
  const sort = (column: Column): void => {
    const next = nextOf(sorted, column);
    if (sortAll !== null) return sortAll(column.name, next?.direction === 'ascending' ? 'asc' : 'desc');
    sorted = next;
    heads.forEach((head, at) => mark(head, next !== null && next.column === columns[at] ? next.direction : null));
    fill(next === null ? answer.rows : answer.rows.toSorted(orderOf(next)));
  };
  heads.forEach((head, at) => head.querySelector('button')?.addEventListener('click', () => sort(columns[at]!)));
  return tableOf(heads, body, label);
}

function tableOf(heads: readonly HTMLElement[], body: HTMLElement, label: string): HTMLElement {
  const head = made('tr');
  head.append(...heads);
  const table = made('table', '', { class: 'data answer' });
  table.append(made('thead'), body);
  table.tHead?.append(head);
  const region = made('div', '', { class: 'scroll', role: 'region', 'aria-label': label, tabindex: '0' });
  region.append(table);
  return region;
}

function headOf(column: Column): HTMLElement {
  const head = made('th', '', { scope: 'col', ...(isNumeric(column) ? { class: 'number' } : {}) });
  head.append(made('button', column.name, { type: 'button', class: 'sort', title: `Sort by ${column.name}` }));
  return head;
}

function mark(head: HTMLElement, direction: Direction | null): void {
  if (direction === null) head.removeAttribute('aria-sort');
  else head.setAttribute('aria-sort', direction);
}

/** Numbers begin with the largest, everything else with the first; a third click restores the order of the answer. */
function nextOf(sorted: Sorted | null, column: Column): Sorted | null {
  const first = isNumeric(column) ? 'descending' : 'ascending';
  if (sorted?.column !== column) return { column, direction: first };
  return sorted.direction === first ? { column, direction: first === 'ascending' ? 'descending' : 'ascending' } : null;
}

/** Missing values are last both ways, as in the language. */
function orderOf({ column: { name }, direction }: Sorted): (one: Row, other: Row) => number {
  const sign = direction === 'ascending' ? 1 : -1;
  return (one, other) => {
    const [a, b] = [one[name], other[name]];
    const [isMissing, isOtherMissing] = [a === null || a === undefined, b === null || b === undefined];
    if (isMissing || isOtherMissing) return Number(isMissing) - Number(isOtherMissing);
    return sign * compared(a, b);
  };
}

function compared(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [one, other] = [a, b].map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return one! < other! ? -1 : Number(one! > other!);
}

function keptColumns({ column_types: all, rows }: Answer): readonly Column[] {
  const kept = all.filter(
    ({ name, role }) => role === 'group' || role === 'bucket' || rows.some((row) => !isEmpty(row[name])),
  );
  return rows.length === 0 || kept.length === 0 ? all : kept;
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
