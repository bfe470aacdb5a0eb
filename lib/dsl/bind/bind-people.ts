/** Sources whose rows are of people: their paths, their profiles, the variants that they saw. */
import { basePlan, basePlanWhere, bindListed, bindMetrics, COUNT, DISTINCT_ID } from './bind-events.ts';
import { bindConditions } from './bind-condition.ts';
import { bindGroups, bindSingleGroups } from './bind-groups.ts';
import { bindField, type BindingScope, failAt } from './binding.ts';
import { CHOICE_KEY, EXPOSURE, VARIANT_KEY } from '../plan/choice.ts';
import { joinAnd } from '../plan/conditions.ts';
import type { Condition, Field, Group, PersonMetric, Plan } from '../plan/plan.ts';
import type { EventRef } from '../parse/syntax.ts';
import type { Duration } from '../time/units.ts';
import type { StageOf } from './stages.ts';

const EVENT_TYPE: Field = { kind: 'core', name: 'event_type' };
const ROWS = 20;
const DEPTH = 5;
/** A kernel keeps this many nodes per person. */
const MAX_DEPTH = 1_000;

/** `paths from e`, `paths to e`. */
export function bindPaths(binding: BindingScope, direction: 'from' | 'to', event: EventRef): Plan {
  const { stages } = binding;
  const base = basePlan(binding, { count: 7, unit: 'd' });
  const depth = stages.one('depth');
  if (depth !== null && depth.count > MAX_DEPTH) failAt(binding, depth, `expected a depth of at most ${MAX_DEPTH}`);
  return {
    kind: 'paths',
    ...base,
    limit: base.limit ?? (stages.one('people') === null ? ROWS : null),
    direction,
    event: event.name,
    window: stages.one('window')?.duration ?? { count: 1, unit: 'h' },
    depth: depth?.count ?? DEPTH,
    label: bindLabel(binding),
  };
}

/** At most one field; without it, nodes are named by their event. */
function bindLabel(binding: BindingScope): Field {
  const [label, second] = binding.stages.groups?.groups ?? [];
  if (label === undefined) return EVENT_TYPE;
  if (label.kind !== 'field') {
    return failAt(binding, label, 'expected a field that labels the nodes', ['`paths` has no time buckets']);
  }
  if (label.bin !== undefined || label.each) failAt(binding, label, 'expected only a field: it labels the nodes');
  if (second !== undefined) failAt(binding, second, 'expected only one field: it labels the nodes');
  return bindField(binding, label.field, 'events');
}

const USER_ID: Field = { kind: 'account', name: 'user_id' };

/** `users`: profiles as rows, or metrics over them. */
export function bindUsers(binding: BindingScope): Plan {
  const { stages } = binding;
  const base = basePlan(binding, { count: 30, unit: 'd' }, 'users');
  const groups = bindGroups(binding, stages.groups, 'users');
  const metrics = bindMetrics(binding, 'users', USER_ID, groups.length === 0 ? [] : [COUNT]);
  return { kind: 'users', ...base, groups, metrics, ...bindListed(binding, 'users') };
}

const RANGE: Duration = { count: 30, unit: 'd' };

/** `choice k`: metrics over the exposures of a choice, or with `results` how its variants convert. */
export function bindChoice(binding: BindingScope, choice: string): Plan {
  const { stages } = binding;
  const results = stages.one('results');
  if (results === null) return bindExposures(binding, choice);
  const unit = stages.one('unit');
  return {
    kind: 'choice',
    ...basePlan(binding, RANGE, 'choice'),
    choice,
    conversion: results.event.name,
    metrics: bindPersonMetric(binding, results),
    groups: bindSingleGroups(binding, stages.groups, 'choice'),
    unit: unit === null ? DISTINCT_ID : bindField(binding, unit.field, 'choice'),
    window: stages.one('window')?.duration ?? { count: 7, unit: 'd' },
  };
}

/** A number of each person, if the results are of one. */
function bindPersonMetric(binding: BindingScope, { metric }: StageOf<'results'>): readonly PersonMetric[] {
  if (metric === null) return [];
  const column = metric.name === 'sum' ? 'total' : 'mean';
  return [{ kind: metric.name, field: bindField(binding, metric.field, 'choice'), column }];
}

function bindExposures(binding: BindingScope, choice: string): Plan {
  const ofChoice: Condition = {
    kind: 'test',
    field: CHOICE_KEY,
    test: { op: 'equals', literal: { type: 'string', value: choice } },
  };
  const asked = bindConditions(binding, binding.stages.where, 'choice');
  const where = joinAnd(asked === null ? [ofChoice] : [ofChoice, asked]);
  return {
    kind: 'aggregate',
    ...basePlanWhere(binding, RANGE, where),
    event: EXPOSURE,
    person: null,
    groups: bindChoiceGroups(binding),
    metrics: bindMetrics(binding, 'choice', DISTINCT_ID, [COUNT]),
  };
}

/** By variant, if the query has neither metrics nor groups. */
function bindChoiceGroups(binding: BindingScope): readonly Group[] {
  const { stages } = binding;
  if (stages.groups === null && stages.one('metrics') === null) {
    return [{ kind: 'field', field: VARIANT_KEY, column: 'variant_key' }];
  }
  return bindGroups(binding, stages.groups, 'choice');
}
