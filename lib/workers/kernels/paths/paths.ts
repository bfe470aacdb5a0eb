/** What persons do after their first event of a name, or before their last. Runs in one part: a path crosses segments. */
import { columnsOf } from '../../../dsl/plan/columns.ts';
import { finishPage, finishTable, rowsNeeded } from '../../../dsl/finish/finish.ts';
import type { PathsPlan } from '../../../dsl/plan/plan.ts';
import type { Table } from '../../../dsl/plan/table.ts';
import type { QueryContext } from '../../query-context.ts';
import { TimeBatches } from '../../rows/time-batches.ts';
import { tableKernel, type Kernel } from '../contract.ts';
import { PathCounts } from './path-counts.ts';
import { PathReader } from './path-reader.ts';
import type { PathSource } from './path-rows.ts';

export function pathsKernel(plan: PathsPlan): Kernel {
  const order = plan.direction === 'from' ? 'oldest' : 'newest';
  return tableKernel(order, (context) => {
    /** Created with the first rows: without any there are no persons. */
    let reader: PathReader | null = null;
    const batches = new TimeBatches<PathSource>(order, plan.range, (pieces) => reader?.read(pieces));
    return {
      consume(rows, range) {
        reader ??= new PathReader(plan, context);
        batches.add(reader.source(rows, range), range);
      },
      table() {
        batches.end();
        return reader === null ? finishTable(plan, columnsOf(plan), []) : tableOf(plan, reader, context);
      },
    };
  });
}

function tableOf(plan: PathsPlan, { table, labels }: PathReader, context: QueryContext): Table {
  const counts = new PathCounts(table, context);
  const needed = rowsNeeded(plan);
  const top = counts.top(needed, (label) => labels.text(label), plan.direction === 'to');
  const rows = top.map(({ path, persons }) => [path, persons, persons / table.size]);
  return finishPage(plan, columnsOf(plan), rows, counts.size);
}
