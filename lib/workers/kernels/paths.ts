/** What persons do after their first, or before their last, such event. Runs in one part: a path crosses segments. */
import { columnsOf } from '../../dsl/columns.ts';
import { finishTable, pageOf } from '../../dsl/finish.ts';
import type { PathsPlan } from '../../dsl/plan.ts';
import type { Table } from '../../dsl/table.ts';
import type { QueryContext } from '../query-context.ts';
import { TimeBatches } from '../rows/time-batches.ts';
import { onlyTable, type Kernel } from './contract.ts';
import { PathCounts } from './path-counts.ts';
import { PathReader, type PathSource } from './path-reader.ts';

interface State {
  readonly context: QueryContext;
  readonly reader: PathReader;
  readonly batches: TimeBatches<PathSource>;
}

export function pathsKernel(plan: PathsPlan): Kernel<State, Table> {
  const order = plan.direction === 'from' ? 'oldest' : 'newest';
  return {
    order,
    init(context) {
      const reader = new PathReader(plan, context);
      return { context, reader, batches: new TimeBatches(order, plan.range, (pieces) => reader.read(pieces)) };
    },
    consume: ({ reader, batches }, rows, range) => batches.add(reader.source(rows, range), range),
    partial({ context, reader, batches }) {
      batches.end();
      return { kind: 'table', table: tableOf(plan, reader, context) };
    },
    merge: onlyTable,
    finish: (table) => table,
  };
}

function tableOf(plan: PathsPlan, { table, labels }: PathReader, context: QueryContext): Table {
  const counts = new PathCounts(table, context);
  const needed = plan.offset + Math.min(plan.limit ?? Infinity, plan.page.offset + plan.page.limit);
  const texts = new Map<number, string | null>();
  const textOf = (label: number): string | null => {
    const known = texts.get(label);
    if (known !== undefined) return known;
    const text = labels.text(label);
    texts.set(label, text);
    return text;
  };
  const top = counts.top(needed, textOf, plan.direction === 'to');
  const rows = top.map(({ path, users }) => [path, users, users / table.size]);
  return { ...finishTable(plan, columnsOf(plan), rows), total: pageOf(plan, counts.size).total };
}
