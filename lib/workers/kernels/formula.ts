/** An expression over metrics of events. */
import { kept } from '../../base/kept.ts';
import { columnsOf } from '../../dsl/plan/columns.ts';
import { evaluateFormula } from '../../dsl/plan/evaluate-formula.ts';
import { finishTable } from '../../dsl/finish/finish.ts';
import { valueOfNothing } from '../../dsl/plan/metrics.ts';
import type { EventName, FormulaPlan, Metric } from '../../dsl/plan/plan.ts';
import type { Cell } from '../../dsl/plan/table.ts';
import { Aggregation } from './aggregation.ts';
import { mergeMetrics, numbersOf } from '../metrics/merge-metrics.ts';
import { sourceRows } from '../groups/source-rows.ts';
import { filterOf } from '../where/filter.ts';
import type { Kernel } from './contract.ts';
import { only } from './partial-result.ts';
import { numberCell } from './group-rows.ts';

/** Operands on one event are metrics of one aggregation. */
interface EventOperands {
  readonly event: EventName;
  readonly operands: readonly { readonly index: number; readonly metric: Metric }[];
}

export function formulaKernel(plan: FormulaPlan): Kernel {
  const groups = plan.bucket === null ? [] : [plan.bucket];
  const events = byEvent(plan);
  return {
    order: 'oldest',
    start(context) {
      const aggregations = events.map(({ operands }) => new Aggregation(groups, metricsOf(operands), context));
      return {
        consume(rows, range) {
          const filter = filterOf(plan.where, rows, context);
          for (const [at, { event }] of events.entries()) {
            aggregations[at]!.advance(rows.segment.first);
            const source = sourceRows(rows, range, { event, person: null }, context);
            if (source.from < source.to) aggregations[at]!.add({ rows, ...source, filter });
          }
        },
        partial: () => ({ kind: 'groups', groups: aggregations.map((one) => one.partial()) }),
      };
    },
    answer(partials, context) {
      /** The values of all operands by bucket label; `''` without buckets. */
      const found = new Map<string, (number | null)[]>();
      for (const [at, { operands }] of events.entries()) {
        const parts = only('groups', partials).map(({ groups: own }) => own[at]!);
        const merged = mergeMetrics(parts, groups.length, metricsOf(operands), context);
        const numbers = merged.values.map(numbersOf);
        for (let group = 0; group < merged.groups.count; group++) {
          const label = groups.length === 0 ? '' : (merged.groups.text(0, group) ?? '');
          const values = kept(found, label, () => plan.operands.map(({ metric }) => valueOfNothing(metric)));
          for (const [nth, { index }] of operands.entries()) values[index] = numberCell(numbers[nth]![group]!);
        }
      }
      const rows = [...found].map(([label, values]): Cell[] => [
        ...(plan.bucket === null ? [] : [label]),
        ...values,
        evaluateFormula(plan.expression, values),
      ]);
      return finishTable(plan, columnsOf(plan), rows);
    },
  };
}

function byEvent(plan: FormulaPlan): EventOperands[] {
  const names = [...new Set(plan.operands.map(({ event }) => event))];
  return names.map((event) => ({
    event,
    operands: plan.operands.flatMap((operand, index) =>
      operand.event === event ? [{ index, metric: operand.metric }] : [],
    ),
  }));
}

function metricsOf(operands: EventOperands['operands']): Metric[] {
  return operands.map(({ metric }) => metric);
}
