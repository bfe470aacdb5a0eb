/** The order of an answer's rows: `sort` by one of its columns, `top` by its first metric. */
import { failAt, type Binding } from './binding.ts';
import { columnsOf } from '../plan/columns.ts';
import type { Order, Plan } from '../plan/plan.ts';
import type { StageOf } from './stages.ts';
import type { TableColumn } from '../plan/table.ts';

/** The plan with the order that its stages set. Throws QueryError for a column that the answer lacks. */
export function withOrder(binding: Binding, plan: Plan): Plan {
  return { ...plan, order: bindOrder(binding, plan) };
}

function bindOrder(binding: Binding, plan: Plan): Order {
  const sort = binding.stages.one('sort');
  if (sort !== null) return bindSort(binding, sort, columnsOf(plan));
  const top = binding.stages.one('top');
  if (top === null) return { kind: 'default' };
  if (!columnsOf(plan).some((column) => column.role === 'metric')) {
    failAt(binding, top, 'expected a metric that `top` can sort by', ['`limit` cuts rows without one']);
  }
  return { kind: 'top' };
}

/** Without a direction, metrics descend and everything else ascends. */
function bindSort(binding: Binding, sort: StageOf<'sort'>, columns: readonly TableColumn[]): Order {
  const index = findColumn(sort.column.text, columns);
  const column = columns[index];
  if (column === undefined) {
    const names = columns.map(({ name }) => name).join(', ');
    return failAt(binding, sort.column, `expected a column of the answer: ${names}`);
  }
  const descending = sort.direction === null ? column.role === 'metric' : sort.direction === 'desc';
  return { kind: 'sort', column: index, descending };
}

/** As printed; blanks inside a metric's brackets and the case of its name do not matter. */
function findColumn(text: string, columns: readonly TableColumn[]): number {
  const exact = columns.findIndex(({ name }) => name === text);
  if (exact !== -1 || !text.endsWith(')')) {
    return exact;
  }
  const squeezed = squeeze(text);
  return columns.findIndex(({ name }) => squeeze(name) === squeezed);
}

function squeeze(name: string): string {
  const open = name.indexOf('(');
  return open === -1 ? name : name.slice(0, open).trim().toLowerCase() + name.slice(open).replaceAll(/\s/g, '');
}
