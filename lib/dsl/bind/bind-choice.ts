/** `choice k`: metrics over the exposures of a choice, or with `results` how its variants convert. */
import { basePlanWhere, basePlan } from './bind-base.ts';
import { bindConditions, joinAnd } from './bind-condition.ts';
import { DISTINCT_ID } from './bind-events.ts';
import { bindGroups } from './bind-groups.ts';
import { bindMetrics, COUNT } from './bind-metrics.ts';
import { bindField, type Binding } from './binding.ts';
import type { Condition, Field, Group, Plan } from '../plan/plan.ts';
import type { Duration } from '../time/units.ts';

const EXPOSURE = 'choice.exposure';
const CHOICE_KEY: Field = { kind: 'event', path: 'choice_key' };
const VARIANT_KEY: Field = { kind: 'event', path: 'variant_key' };
const RANGE: Duration = { count: 30, unit: 'd' };

export function bindChoice(binding: Binding, choice: string): Plan {
  const { stages } = binding;
  const results = stages.one('results');
  if (results === null) return bindExposures(binding, choice);
  const unit = stages.one('unit');
  return {
    kind: 'choice',
    ...basePlan(binding, RANGE, 'choice'),
    choice,
    conversion: results.event.name,
    unit: unit === null ? DISTINCT_ID : bindField(binding, unit.field, 'choice'),
    window: stages.one('window')?.duration ?? { count: 7, unit: 'd' },
  };
}

function bindExposures(binding: Binding, choice: string): Plan {
  const ofChoice: Condition = {
    kind: 'test',
    field: CHOICE_KEY,
    test: { op: 'equals', literal: { type: 'string', value: choice } },
  };
  const asked = bindConditions(binding, binding.stages.where, 'choice');
  const where = joinAnd(asked === null ? [ofChoice] : [ofChoice, asked]);
  const metrics = binding.stages.one('metrics');
  return {
    kind: 'aggregate',
    ...basePlanWhere(binding, RANGE, where),
    event: EXPOSURE,
    person: null,
    groups: bindChoiceGroups(binding),
    metrics: metrics === null ? [COUNT] : bindMetrics(binding, metrics.metrics, 'choice', DISTINCT_ID),
  };
}

/** By variant, if the query has neither metrics nor groups. */
function bindChoiceGroups(binding: Binding): readonly Group[] {
  const { stages } = binding;
  if (stages.groups === null && stages.one('metrics') === null) {
    return [{ kind: 'field', field: VARIANT_KEY, column: 'variant_key' }];
  }
  return bindGroups(binding, stages.groups, 'choice');
}
