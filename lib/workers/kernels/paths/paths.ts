/** What persons do after their first event of a name, or before their last. Runs in one part: a path crosses segments. */
import { columnsOf } from '../../../dsl/plan/columns.ts';
import { finishTable, pageOf, rowsNeeded } from '../../../dsl/finish/finish.ts';
import type { PathsPlan } from '../../../dsl/plan/plan.ts';
import type { Table } from '../../../dsl/plan/table.ts';
import type { QueryContext } from '../../query-context.ts';
import { TimeBatches } from '../../rows/time-batches.ts';
import { tableKernel, type Kernel } from '../contract.ts';
import { PathCounts } from './path-counts.ts';
import { PathReader } from './path-reader.ts';
import type { PathSource } from './path-rows.ts';

interface State {
  readonly context: QueryContext;
  readonly batches: TimeBatches<PathSource>;
  /** Created with the first rows: without any there are no persons. */
  reader: PathReader | null;
}

export function pathsKernel(plan: PathsPlan): Kernel<State, Table> {
  const order = plan.direction === 'from' ? 'oldest' : 'newest';
  return tableKernel({
    order,
    init(context): State {
      const batches = new TimeBatches<PathSource>(order, plan.range, (pieces) => state.reader?.read(pieces));
      const state: State = { context, batches, reader: null };
      return state;
    },
    consume(state, rows, range) {
      state.reader ??= new PathReader(plan, state.context);
      state.batches.add(state.reader.source(rows, range), range);
    },
    table({ context, reader, batches }) {
      batches.end();
      return reader === null ? finishTable(plan, columnsOf(plan), []) : tableOf(plan, reader, context);
    },
  });
}

function tableOf(plan: PathsPlan, { table, labels }: PathReader, context: QueryContext): Table {
  const counts = new PathCounts(table, context);
  const needed = rowsNeeded(plan);
  const texts = new Map<number, string | null>();
  const textOf = (label: number): string | null => {
    const known = texts.get(label);
    if (known !== undefined) return known;
    const text = labels.text(label);
    texts.set(label, text);
    return text;
  };
  const top = counts.top(needed, textOf, plan.direction === 'to');
  const rows = top.map(({ path, persons }) => [path, persons, persons / table.size]);
  return { ...finishTable(plan, columnsOf(plan), rows), total: pageOf(plan, counts.size).total };
}
