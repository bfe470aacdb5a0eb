/** An expression over metrics of events. */
import { evaluateFormula } from '../../dsl/plan/evaluate-formula.ts';
import type { EventName, FormulaPlan, Metric } from '../../dsl/plan/plan.ts';
import { Aggregation, rollingOf } from './aggregation.ts';
import { cellStarts, rollGroups, rollMetric } from '../metrics/rolling.ts';
import { mergeGroups } from '../metrics/merge-groups.ts';
import { knownValues } from '../metrics/metric-state.ts';
import { mergeValues, numbersOf } from '../metrics/merge-metrics.ts';
import { sourceRows } from '../groups/source-rows.ts';
import { filterOf } from '../where/filter.ts';
import type { Kernel } from './contract.ts';
import { onlyKind } from './partial-result.ts';
import { groupTable, numberCell } from './group-rows.ts';

/** Operands on one event are metrics of one aggregation. */
interface EventOperands {
  readonly event: EventName;
  readonly operands: readonly { readonly index: number; readonly metric: Metric }[];
}

export function formulaKernel(plan: FormulaPlan): Kernel {
  const events = byEvent(plan);
  const rolling = rollingOf(plan);
  return {
    order: 'oldest',
    start(context) {
      const cells = rolling === null ? null : cellStarts(rolling);
      const aggregations = events.map(
        ({ operands }) => new Aggregation(plan.groups, metricsOf(operands), context, cells),
      );
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
      const parts = onlyKind('groups', partials);
      const found = events.map((_, at) => parts.map(({ groups }) => groups[at]!));
      const rolled = rolling === null ? null : rollGroups(found.flat(), rolling, context);
      const merged = rolled?.merged ?? mergeGroups(found.flat(), plan.groups.length, context);
      const groups = rolled?.groups ?? merged;
      const operands = new Array<Float64Array>(plan.operands.length);
      for (const [at, own] of found.entries()) {
        const places = merged.places.slice(at * parts.length, (at + 1) * parts.length);
        const into = { groups: { ...merged, places }, limits: context };
        const metrics = metricsOf(events[at]!.operands);
        const plain = rolled === null ? mergeValues(own, metrics, into) : null;
        for (const [nth, { index }] of events[at]!.operands.entries()) {
          operands[index] = numbersOf(
            plain?.[nth]!(null) ??
              rollMetric(own, metrics, nth, { merged: into.groups, groups: rolled!.byCell[index]!, limits: context }),
          );
        }
      }
      const value = Float64Array.from({ length: groups.count }, (_, group) => {
        const cells = operands.map((values) => numberCell(values[group]!));
        return evaluateFormula(plan.expression, cells) ?? NaN;
      });
      return groupTable(plan, { groups, values: [...operands, value].map(knownValues) }, context);
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
