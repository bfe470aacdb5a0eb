/** Which events and fields a plan names. */
import { testsOf } from './conditions.ts';
import { fieldKey } from './fields.ts';
import { traitsOf } from './plan-traits.ts';
import type { Condition, Field, Metric, Plan } from './plan.ts';

export interface PlanUses {
  readonly events: readonly string[];
  readonly fields: readonly Field[];
}

/** Each once, in the plan's order. */
export function planUses(plan: Plan): PlanUses {
  const fields = fieldsOf(plan);
  return {
    events: [...new Set(traitsOf(plan).events.filter((name) => name !== null))],
    fields: fields.filter((field, at) => fields.findIndex((other) => fieldKey(other) === fieldKey(field)) === at),
  };
}

function fieldsOf(plan: Plan): Field[] {
  const fields = conditionFields(plan.where);
  if ('groups' in plan) fields.push(...plan.groups.flatMap((group) => (group.kind === 'field' ? [group.field] : [])));
  if ('metrics' in plan) fields.push(...metricFields(plan.metrics));
  if ('having' in plan) fields.push(...conditionFields(plan.having));
  switch (plan.kind) {
    case 'latest':
      fields.push(plan.field, plan.entity);
      break;
    case 'formula':
      fields.push(...metricFields(plan.operands.map(({ metric }) => metric)));
      break;
    case 'funnel':
      fields.push(...plan.steps.flatMap(({ where }) => conditionFields(where)));
      break;
    case 'paths':
      fields.push(plan.label);
      break;
    case 'choice':
      fields.push(plan.unit);
      break;
    default:
      break;
  }
  return fields;
}

const conditionFields = (condition: Condition | null): Field[] => testsOf(condition).map(({ field }) => field);

function metricFields(metrics: readonly Metric[]): Field[] {
  return metrics.flatMap((metric) => (metric.kind === 'count' ? [] : [metric.field]));
}
