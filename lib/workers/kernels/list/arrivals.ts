/** Which events a list has, as their arrival numbers: for whoever deletes them. */
import type { ListPlan } from '../../../dsl/plan/plan.ts';
import { ArrivalSet } from '../../../shards/erase/arrival-set.ts';
import { CHECK_EVERY } from '../../check-every.ts';
import { positionsOf } from '../../groups/positions.ts';
import { select } from '../../groups/select.ts';
import { sourceRows } from '../../groups/source-rows.ts';
import { filterOf } from '../../where/filter.ts';
import type { Kernel } from '../contract.ts';
import { onlyKind } from '../partial-result.ts';

/** Answers with a row for each block of numbers, as `ArrivalSet` writes them; `total` is how many events there are. */
export function arrivalsKernel(plan: ListPlan): Kernel {
  return {
    order: 'oldest',
    start(context) {
      const found = new ArrivalSet();
      return {
        consume(rows, range) {
          const source = sourceRows(rows, range, plan, context);
          const selected = select(positionsOf(rows, source.list, source, null), filterOf(plan.where, rows, context), context); // prettier-ignore
          const arrivals = rows.segment.arrivals();
          const before = found.bytes;
          for (const { from, to } of selected.spans)
            for (let at = from; at < to; at++) {
              if (at % CHECK_EVERY === 0) context.checkpoint();
              found.add(arrivals[selected.rows === null ? at : selected.rows[at]!]!);
            }
          context.budget.take(found.bytes - before);
        },
        partial: () => ({ kind: 'arrivals', blocks: found.blocks }),
      };
    },
    answer(partials, { budget }) {
      const all = ArrivalSet.of(onlyKind('arrivals', partials).map(({ blocks }) => blocks));
      budget.take(all.bytes);
      const columns = [{ name: 'arrivals', type: 'string', role: 'value' }] as const;
      return { columns, rows: all.texts().map((text) => [text]), total: all.size };
    },
  };
}
