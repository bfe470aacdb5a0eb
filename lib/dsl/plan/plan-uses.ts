/** Which events and fields a plan names. */
import { conditionsOf, metricsOf, rowMetric, testsOf } from './conditions.ts';
import { fieldKey, isSeconds, isTimeField, storedFields } from './fields.ts';
import { traitsOf } from './plan-traits.ts';
import type { EventName, Field, Metric, Plan } from './plan.ts';

export interface PlanUses {
  readonly events: readonly string[];
  readonly fields: readonly Field[];
}

/** Each once, in the plan's order; for arithmetic what it is computed of. */
export function planUses(plan: Plan): PlanUses {
  const fields = new Map<string, Field>();
  for (const field of fieldUses(plan).flatMap((use) => storedFields(use.field))) {
    const key = fieldKey(field);
    if (!fields.has(key)) fields.set(key, field);
  }
  return {
    events: [...new Set(traitsOf(plan).events.filter((name) => name !== null))],
    fields: [...fields.values()],
  };
}

/** The fields of a plan of which the notes say when the range has no value, and what its sessions are formed by. */
export function notedFields(plan: Plan): readonly Field[] {
  const { fields } = planUses(plan);
  const formsSessions = plan.kind === 'sessions' || fields.some(({ kind }) => kind === 'session');
  const noted = fields.filter(({ kind }) => kind === 'event' || kind === 'sent' || kind === 'profile');
  return formsSessions ? [...noted, SESSION_ID] : noted;
}

/** A field of which a metric takes numbers, of the rows that it is over. */
export interface NumberField extends Pick<Metric, 'column' | 'where'> {
  readonly field: Field;
  /** null: any. */
  readonly event: EventName;
  /** Whether the metric is of arithmetic, in which the field is but an operand. */
  readonly computed: boolean;
}

/** The fields of which metrics of a plan leave out values that are no number. */
export function numberFields(plan: Plan): readonly NumberField[] {
  const metrics =
    plan.kind === 'formula' ? plan.operands : metricsOf(plan).map((metric) => ({ metric, event: measuredEvent(plan) }));
  return metrics.flatMap(({ metric: { column, ...metric }, event }): NumberField[] => {
    const own = rowMetric({ ...metric, column });
    if (own.kind === 'count' || own.kind === 'unique' || own.kind === 'mode') return [];
    const { where, field: of } = own;
    const rows = { column, event, computed: of.kind === 'arithmetic', ...(where === undefined ? {} : { where }) };
    return storedFields(of).flatMap((field) => (mayBeText(field) ? [{ ...rows, field }] : []));
  });
}

/** Of which events the metrics are; null: any. */
function measuredEvent(plan: Plan): EventName {
  if (plan.kind === 'choice' || plan.kind === 'attribution') return plan.conversion;
  return plan.kind === 'retention' ? plan.returning : null;
}

/** The stored field of a value: after `latest`, that of which the newest values are. */
export function storedField(plan: Plan, field: Field): Field {
  if (field.kind !== 'latest' || plan.kind !== 'latest') return field;
  return field.name === 'last_value' ? plan.field : plan.entity;
}

const mayBeText = (field: Field): boolean =>
  !isTimeField(field) && !isSeconds(field) && field.kind !== 'session' && field.kind !== 'last_session';

const SESSION_ID: Field = { kind: 'core', name: 'session_id' };

/**
 * Where a field stands: what is done with its values. `metric`: a number or a text of them; `unique`, `per`: they are told apart;
 * `cell`: they are shown; `order`: rows are sorted by them; `newest`, `entity`: of `latest`.
 */
export type FieldPlace =
  | 'condition'
  | 'group'
  | 'bin'
  | 'each'
  | 'metric'
  | 'unique'
  | 'per'
  | 'cell'
  | 'order'
  | 'newest'
  | 'entity'
  | 'same'
  | 'unit'
  | 'label';

export interface FieldUse {
  readonly field: Field;
  readonly place: FieldPlace;
}

/** The fields that a plan names, each time it does, in the plan's order; those in a `did` are of another plan (`didPlans`). */
export function fieldUses(plan: Plan): readonly FieldUse[] {
  const uses: FieldUse[] = [];
  const add = (place: FieldPlace, ...fields: readonly (Field | null)[]): void => {
    for (const field of fields) if (field !== null) uses.push({ field, place });
  };
  add('condition', ...conditionsOf(plan).flatMap((condition) => testsOf(condition).map(({ field }) => field)));
  for (const group of 'groups' in plan ? plan.groups : []) {
    if (group.kind === 'field') add(group.bin !== undefined ? 'bin' : group.each ? 'each' : 'group', group.field);
  }
  for (const metric of metricsOf(plan)) {
    if (metric.kind === 'per') add('per', metric.field);
    const own = rowMetric(metric);
    if (own.kind !== 'count') add(own.kind === 'unique' ? 'unique' : 'metric', own.field);
  }
  for (const { field, hidden } of 'fields' in plan ? (plan.fields ?? []) : []) add(hidden ? 'order' : 'cell', field);
  switch (plan.kind) {
    case 'latest':
      add('newest', plan.field);
      add('entity', plan.entity);
      break;
    case 'funnel':
      add('same', plan.same);
      add('unit', plan.unit);
      break;
    case 'paths':
      add('label', plan.label);
      break;
    case 'choice':
      add('unit', plan.unit);
      break;
    default:
      break;
  }
  return uses;
}
