/** What an empty answer did not show: how much of the same is stored outside its range, and in which period. */
import {
  type Elsewhere,
  type Known,
  ownRows,
  wantsCatalog,
  type SeenValues,
  type LeftOut,
} from '../../dsl/hints/notes.ts';
import { hasCondition } from '../../dsl/plan/bots.ts';
import { CHOICE_KEY, EXPOSURE } from '../../dsl/plan/choice.ts';
import type {
  AggregatePlan,
  Field,
  Metric,
  Plan,
  SessionsPlan,
  UsersPlan,
  Condition,
  EventName,
} from '../../dsl/plan/plan.ts';
import type { Observations, Table } from '../../dsl/plan/table.ts';
import { MAX_TIME } from '../../dsl/time/duration.ts';
import type { ProjectRef } from '../../base/project.ts';
import type { EventStore, PageResult, QueryOptions } from '../../store/event-store.ts';
import { fieldKey, fieldName } from '../../dsl/plan/fields.ts';
import { askedRange } from '../../dsl/plan/shown-range.ts';
import { traitsOf } from '../../dsl/plan/plan-traits.ts';
import { numberFields, storedField, type NumberField } from '../../dsl/plan/plan-uses.ts';

/** Choices, the most frequent first, of which the nearest to an unknown one is named. */
const MOST_CHOICES = 1_000;

/** Whether an answer shows so little that stored data could explain it. */
export function wantsMore(plan: Plan, result: PageResult): boolean {
  const { page, observations } = result;
  if (wantsLeftOut(result) || wantsCatalog(observations) || hasNoRows(plan, observations)) return true;
  return page.isEmpty && (personOf(plan) !== null || choiceOf(plan) !== null || readsAllSessions(plan));
}

/** Whether the range has no rows at all. Sessions read a day around it, too. */
function hasNoRows(plan: Plan, observations: Observations): boolean {
  if (ownRows(observations) === 0) return true;
  return plan.kind === 'sessions' && !hasCondition(plan) && observations.sessions?.events === 0;
}

/** Whether an empty answer means that the range has no session. */
function readsAllSessions(plan: Plan): plan is SessionsPlan {
  return (
    plan.kind === 'sessions' && !hasCondition(plan) && plan.whereRows === null && plan.offset + plan.page.offset === 0
  );
}

/** Asks the store for what the notes of the answer can say. */
export async function storedElsewhere(
  store: Pick<EventStore, 'query' | 'catalog' | 'extent'>,
  { project, plan, result }: { readonly project: ProjectRef; readonly plan: Plan; readonly result: PageResult },
  options: QueryOptions,
): Promise<Known> {
  const { unseenEvents } = result.observations;
  const isEmpty = hasNoRows(plan, result.observations);
  const person = personOf(plan);
  const names = wantsCatalog(result.observations) ? (result.names ?? (await store.catalog(project))) : null;
  const known = new Set(names?.events.map(({ name }) => name));
  const stored = unseenEvents.filter((event) => known.has(event));
  const elsewhere: (Elsewhere | null)[] = [];
  let isEmptyProject = false;
  const probe = async (of: Elsewhere['of'], query: Plan): Promise<void> => {
    elsewhere.push(spanOf(of, (await store.query(project, query, options)).table));
  };
  /** The same for something that an empty answer may have in its range: a condition, a page or metrics without values hid it. */
  const probeUnlessHere = async (of: Elsewhere['of'], query: Plan): Promise<void> => {
    const here = await store.query(project, { ...query, range: plan.range }, options);
    if (spanOf(of, here.table) === null) await probe(of, query);
  };
  // Events to look up: a formula may name many.
  for (const name of stored.slice(0, 8)) {
    const span = result.spans?.find((one) => one.name === name);
    const of = { kind: 'event', name } as const;
    if (span === undefined) await probe(of, spanOfEvents(plan, { event: name }));
    else elsewhere.push({ of, rows: span.rows, first: span.first, last: span.last });
  }
  if (plan.kind === 'users') {
    if (isEmpty) await probe({ kind: 'users' }, spanOfUsers(plan));
  } else if (isEmpty && stored.length === 0 && person === null) {
    const extent = await store.extent(project);
    isEmptyProject = extent === null;
    elsewhere.push(extent === null ? null : { of: { kind: 'events' }, ...extent });
  } else if (readsAllSessions(plan) && result.page.isEmpty) {
    await probeUnlessHere({ kind: 'sessions' }, spanOfSessions(plan));
  }
  if (person !== null && result.page.isEmpty) {
    await probeUnlessHere({ kind: 'person', id: person }, spanOfEvents(plan, { person }));
  }
  const choice = unseenEvents.includes(EXPOSURE) || !result.page.isEmpty ? null : choiceOf(plan);
  let unseenChoice: Known['unseenChoice'] = null;
  if (choice !== null) {
    const { table } = await store.query(project, choicesOf(plan), options);
    const choices = table.rows.map(([key]) => key).filter((key) => typeof key === 'string');
    if (choices.includes(choice)) await probeUnlessHere({ kind: 'choice', key: choice }, exposuresOf(plan, choice));
    else unseenChoice = { key: choice, choices };
  }
  const ask = async (probe: Plan): Promise<Table> => (await store.query(project, probe, options)).table;
  const leftOut = await leftOutOf(plan, result, ask);
  const others = await valuesOfOthers(plan, result, { ask, told: leftOut.map(({ field }) => field) });
  const found = elsewhere.filter((one) => one !== null);
  return { names, elsewhere: found, unseenChoice, isEmptyProject, leftOut, valuesOfOthers: others };
}

function personOf(plan: Plan): string | null {
  return 'person' in plan ? plan.person : null;
}

/** The choice whose exposures a plan reads, or null. */
function choiceOf(plan: Plan): string | null {
  if (plan.kind === 'choice') return plan.choice;
  if (plan.kind !== 'aggregate' || plan.event !== EXPOSURE) return null;
  const keys = (plan.where?.kind === 'and' ? plan.where.terms : [plan.where]).flatMap((term) => {
    if (term?.kind !== 'test' || term.test.op !== 'equals' || term.test.literal.type !== 'string') return [];
    return term.field.kind === 'event' && term.field.path === CHOICE_KEY.path ? [term.test.literal.value] : [];
  });
  return keys[0] ?? null;
}

const ALWAYS = { from: -MAX_TIME, to: MAX_TIME };
const WHOLE = {
  tableStages: [],
  order: { kind: 'default' },
  offset: 0,
  limit: null,
  page: { limit: 1, offset: 0 },
} as const;

function spanOfEvents(
  { zone, now }: Plan,
  { event = null, person = null }: Partial<Pick<AggregatePlan, 'event' | 'person'>>,
): AggregatePlan {
  const metrics = spanOfTime({ kind: 'core', name: 'time' });
  return { kind: 'aggregate', zone, range: ALWAYS, now, where: null, event, person, groups: [], metrics, ...WHOLE };
}

function exposuresOf(plan: Plan, choice: string): AggregatePlan {
  const test = { op: 'equals', literal: { type: 'string', value: choice } } as const;
  return { ...spanOfEvents(plan, { event: EXPOSURE }), where: { kind: 'test', field: CHOICE_KEY, test } };
}

function choicesOf({ zone, now }: Plan): AggregatePlan {
  const groups = [{ kind: 'field', field: CHOICE_KEY, column: 'choice_key' }] as const;
  const page = { limit: MOST_CHOICES, offset: 0 };
  const metrics = [{ kind: 'count', column: 'count' }] as const;
  return { kind: 'aggregate', zone, range: ALWAYS, now, where: null, event: EXPOSURE, person: null, groups, metrics, ...WHOLE, limit: MOST_CHOICES, page }; // prettier-ignore
}

function spanOfUsers({ zone, now }: Plan): UsersPlan {
  const metrics = spanOfTime({ kind: 'account', name: 'last_seen' });
  return { kind: 'users', zone, range: ALWAYS, now, where: null, groups: [], metrics, ...WHOLE };
}

function spanOfSessions({ zone, now }: Plan): SessionsPlan {
  const metrics = spanOfTime({ kind: 'session', name: 'start_time' });
  return { kind: 'sessions', zone, range: ALWAYS, now, where: null, whereRows: null, groups: [], metrics, ...WHOLE };
}

function spanOfTime(field: Field): readonly Metric[] {
  return [
    { kind: 'count', column: 'count' },
    { kind: 'min', field, column: 'min' },
    { kind: 'max', field, column: 'max' },
  ];
}

function spanOf(of: Elsewhere['of'], { rows: [row] }: Table): Elsewhere | null {
  const [rows, first, last] = row ?? [];
  const isSpan = typeof rows === 'number' && typeof first === 'number' && typeof last === 'number';
  return isSpan && rows > 0 ? { of, rows, first, last } : null;
}

/** Runs a plan for the notes. */
type Ask = (plan: Plan) => Promise<Table>;

/** Whether the notes may have to tell of it. */
function wantsLeftOut({ page, observations }: PageResult): boolean {
  return page.blankMetrics.length > 0 || (observations.textFields ?? []).length > 0;
}

/** Of each field of which metrics take numbers: how many of the values that they met are none, with the most frequent as example. */
async function leftOutOf(plan: Plan, { observations }: PageResult, ask: Ask): Promise<readonly LeftOut[]> {
  const { textFields = [] } = observations;
  const found: LeftOut[] = [];
  // Fields to look up: a query may name many.
  for (const metric of distinct(numberFields(plan)).slice(0, 4)) {
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
async function valuesOfOthers(
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
  const page = { limit: 3, offset: 0 }; // events that a note names
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
