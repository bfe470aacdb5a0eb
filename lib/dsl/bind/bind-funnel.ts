/** `funnel a -> b or c -> d`. */
import { basePlan } from './bind-events.ts';
import { bindCondition } from './bind-condition.ts';
import { bindSingleGroups } from './bind-groups.ts';
import { bindField, failAt, type BindingScope } from './binding.ts';
import { columnsOf } from '../plan/columns.ts';
import type { EventName, Field, FunnelPlan, PlanStep, StepTime } from '../plan/plan.ts';
import type { FieldRef, FunnelStep, MetricNode, Source } from '../parse/syntax.ts';

export function bindFunnel(
  binding: BindingScope,
  { steps, exclude }: Source & { readonly kind: 'funnel' },
): FunnelPlan {
  const { stages } = binding;
  const field = (stage: { readonly field: FieldRef } | null): Field | null =>
    stage === null ? null : bindField(binding, stage.field, 'events');
  const plan: FunnelPlan = {
    kind: 'funnel',
    steps: steps.map((step) => bindStep(binding, step)),
    exclude: exclude.map((event) => event.name),
    ...basePlan(binding, { count: 30, unit: 'd' }),
    window: stages.one('window')?.duration ?? { count: 30, unit: 'd' },
    groups: bindSingleGroups(binding, stages.groups),
    stepOrder: stages.one('order')?.steps ?? 'given',
    same: field(stages.one('same')),
    unit: field(stages.one('unit')),
    times: [],
  };
  const columns = columnsOf(plan).map(({ name }) => name);
  return { ...plan, times: bindTimes(binding, columns) };
}

function bindStep(binding: BindingScope, { events, where }: FunnelStep): PlanStep {
  const names = [...new Set<EventName>(events.map(({ name }) => name))];
  return { events: names, where: where === null ? null : bindCondition(binding, where, 'events') };
}

/** @param columns Those that the funnel has without them. */
function bindTimes(binding: BindingScope, columns: readonly string[]): readonly StepTime[] {
  const seen = new Set<string>();
  const names = new Set(columns);
  return (binding.stages.one('metrics')?.metrics ?? []).map((node) => {
    if (seen.has(node.word)) failAt(binding, node, `expected each metric once: \`${node.word}\` is already there`);
    seen.add(node.word);
    const time = bindTime(binding, node);
    if (names.has(time.column))
      failAt(
        binding,
        node.alias ?? node,
        `expected a name that no other column has: \`${time.column}\` is already there`,
      );
    names.add(time.column);
    return time;
  });
}

function bindTime(binding: BindingScope, node: MetricNode): StepTime {
  const { name, word, p, field } = node;
  if (name === 'count' || name === 'unique' || name === 'mode') {
    return failAt(binding, node, `expected a metric of the time between steps, found \`${word}\``, [
      'avg, min, max, stddev, sum and p1 to p99 add `avg_seconds` and so on',
    ]);
  }
  if (node.of !== null || node.where !== null) {
    failAt(binding, node, `expected \`${word}\` alone: in a funnel it is of the time between steps`);
  }
  if (name === 'median') return failAt(binding, node, 'a funnel always has the median: `median_seconds`');
  if (field !== null) {
    failAt(binding, field, `expected no field after \`${word}\`: in a funnel it is of the time between steps`);
  }
  return { kind: name, p, column: node.alias?.value ?? `${word}_seconds` };
}
