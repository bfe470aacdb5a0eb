/** What persons do after their first event of a name, or before their last. Runs in one part: a path crosses segments. */
import { columnsOf } from '../../../dsl/plan/columns.ts';
import { finishPage, finishTable, rowsNeeded } from '../../../dsl/finish/finish.ts';
import type { PathsPlan } from '../../../dsl/plan/plan.ts';
import type { Cell, Table } from '../../../dsl/plan/table.ts';
import type { QueryContext } from '../../query-context.ts';
import { TimeBatches } from '../../rows/time-batches.ts';
import { tableKernel, type Kernel } from '../contract.ts';
import { FoundPeople, peopleTable } from '../people.ts';
import { labelsOf, PathCounts } from './path-counts.ts';
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
        if (reader === null) return finishTable(plan, columnsOf(plan), []);
        return plan.people === undefined ? tableOf(plan, reader, context) : peopleOf(plan, reader, context);
      },
    };
  });
}

/** Whoever took a path, at the time of the event that it begins or ends with. */
function peopleOf(plan: PathsPlan, { table, labels }: PathReader, context: QueryContext): Table {
  const found = new FoundPeople(table.size, context);
  for (let place = 0; place < table.size; place++) found.add(table.persons[place]!, table.anchors![place]!, place);
  const pathOf = (place: number): Cell =>
    Array.from(labelsOf(table, place, plan.direction === 'to'), (label) => labels.text(label));
  return peopleTable(plan, found, (place) => [pathOf(place)], context);
}

function tableOf(plan: PathsPlan, { table, labels }: PathReader, context: QueryContext): Table {
  const counts = new PathCounts(table, context);
  const needed = rowsNeeded(plan);
  const top = counts.top(needed, (label) => labels.text(label), plan.direction === 'to');
  const rows = top.map(({ path, persons }) => [path, persons, persons / table.size]);
  return finishPage(plan, columnsOf(plan), rows, counts.size);
}
