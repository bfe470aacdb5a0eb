/** What metrics did not count: values that spell no number, and fields that other events have. */
import type { SeenValues, LeftOut } from '../../dsl/hints/notes.ts';
import { fieldKey, fieldName } from '../../dsl/plan/fields.ts';
import type { AggregatePlan, Condition, EventName, Field, Metric, Plan } from '../../dsl/plan/plan.ts';
import { askedRange } from '../../dsl/plan/shown-range.ts';
import { traitsOf } from '../../dsl/plan/plan-traits.ts';
import { numberFields, storedField, type NumberField } from '../../dsl/plan/plan-uses.ts';
import type { Table } from '../../dsl/plan/table.ts';
import type { PageResult } from '../../store/event-store.ts';

/** Runs a plan for the notes. */
type Ask = (plan: Plan) => Promise<Table>;

/** Fields to look up: a query may name many. */
const MOST_FIELDS = 4;
/** Events that a note names. */
const MOST_EVENTS = 3;

/** Whether the notes may have to tell of it. */
export function wantsLeftOut({ page, observations }: PageResult): boolean {
  return page.blankMetrics.length > 0 || (observations.textFields ?? []).length > 0;
}

/** Of each field of which metrics take numbers: how many of the values that they met are none, with the most frequent as example. */
export async function leftOutOf(plan: Plan, { observations }: PageResult, ask: Ask): Promise<readonly LeftOut[]> {
  const { textFields = [] } = observations;
  const found: LeftOut[] = [];
  for (const metric of distinct(numberFields(plan)).slice(0, MOST_FIELDS)) {
    const field = storedField(plan, metric.field);
    if (!textFields.includes(fieldName(field))) continue;
    const probe = probeOf(plan, metric);
    const [[count, example] = []] = probe === null ? [] : (await ask(probe)).rows;
    if (typeof count !== 'number' || count === 0 || typeof example !== 'string') continue;
    found.push({ field: fieldName(field), count, example });
  }
  return found;
}

/**
 * Where fields of metrics that are empty in every row have values: in other events of the range.
 * @param told Fields of which it is told already why the metric is empty.
 */
export async function valuesOfOthers(
  plan: Plan,
  { page, observations }: PageResult,
  { ask, told }: { readonly ask: Ask; readonly told: readonly string[] },
): Promise<readonly SeenValues[]> {
  if (plan.kind !== 'aggregate' && plan.kind !== 'formula' && plan.kind !== 'attribution') return [];
  const blank = page.blankMetrics.map((at) => page.columns[at]!.name);
  const found: SeenValues[] = [];
  for (const { field, computed } of distinct(numberFields(plan).filter(({ column }) => blank.includes(column)))) {
    const name = fieldName(field);
    if ((field.kind !== 'event' && field.kind !== 'sent') || [...observations.unseenFields, ...told].includes(name))
      continue;
    const { rows } = await ask(eventsWith(plan, field));
    const events = rows.flatMap(([event, count]) =>
      typeof event === 'string' && typeof count === 'number' ? [{ name: event, rows: count }] : [],
    );
    // What is computed may be empty for another reason, such as a division by 0, where the events asked for have the field.
    const isOwn = (event: EventName): boolean => event === null || events.some((other) => other.name === event);
    if (computed && traitsOf(plan).events.some(isOwn)) continue;
    if (events.length > 0) found.push({ field: name, events });
  }
  return found;
}

function distinct(metrics: readonly NumberField[]): NumberField[] {
  return metrics.filter((metric, at) => metrics.findIndex((other) => probeKey(other) === probeKey(metric)) === at);
}

const probeKey = ({ field, event, where }: NumberField): string => JSON.stringify([fieldKey(field), event, where]);

const WHOLE = {
  tableStages: [],
  order: { kind: 'default' },
  offset: 0,
  limit: null,
  page: { limit: 1, offset: 0 },
} as const;

/**
 * The same rows, of windows those of the range, but only those whose value exists and is no number: how many, and which value is
 * most frequent.
 */
function probeOf(plan: Plan, { field, event, where: own }: NumberField): Plan | null {
  const terms = [...(own === undefined ? [] : [own]), ...isNoNumber(field)];
  const metrics: readonly Metric[] = [
    { kind: 'count', column: 'count' },
    { kind: 'mode', field, column: 'mode' },
  ];
  const range = askedRange(plan);
  switch (plan.kind) {
    case 'aggregate':
    case 'users': {
      const { rolling: _rolling, ...rest } = plan;
      return { ...rest, ...WHOLE, range, groups: [], metrics, where: both(plan.where, terms) };
    }
    case 'sessions': {
      const { rolling: _rolling, ...rest } = plan;
      return { ...rest, ...WHOLE, range, groups: [], metrics, whereRows: both(plan.whereRows, terms) };
    }
    case 'latest':
      return { ...plan, ...WHOLE, groups: [], metrics, whereRows: both(plan.whereRows, terms) };
    case 'attribution':
    case 'formula': {
      const { zone, now } = plan;
      const where = both(plan.where, terms);
      return { kind: 'aggregate', zone, range, now, event, person: null, groups: [], metrics, where, ...WHOLE };
    }
    default:
      return null;
  }
}

function eventsWith(plan: Plan, field: Field): AggregatePlan {
  const { zone, now } = plan;
  const range = askedRange(plan);
  const groups = [{ kind: 'field', field: { kind: 'core', name: 'event_type' }, column: 'event_type' }] as const;
  const metrics = [{ kind: 'count', column: 'count' }] as const;
  const page = { limit: MOST_EVENTS, offset: 0 };
  const where = exists(field);
  return { kind: 'aggregate', zone, range, now, event: null, person: null, groups, metrics, where, ...WHOLE, page };
}

const exists = (field: Field): Condition => ({ kind: 'test', field, test: { op: 'exists' } });

function isNoNumber(field: Field): readonly Condition[] {
  const literal = { type: 'number', value: -Number.MAX_VALUE } as const;
  const term = { kind: 'test', field, test: { op: 'compare', sign: '>=', literal } } as const;
  return [exists(field), { kind: 'not', term }];
}

function both(condition: Condition | null, terms: readonly Condition[]): Condition {
  const own = condition === null ? [] : condition.kind === 'and' ? condition.terms : [condition];
  return { kind: 'and', terms: [...own, ...terms] };
}
