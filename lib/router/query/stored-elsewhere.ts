/** What an empty answer did not show: how much of the same is stored outside its range, and in which period. */
import { type Elsewhere, type Known, ownRows, wantsCatalog } from '../../dsl/hints/notes.ts';
import { leftOutOf, valuesOfOthers, wantsLeftOut } from './left-out.ts';
import { CHOICE_KEY, EXPOSURE } from '../../dsl/plan/choice.ts';
import type { AggregatePlan, Field, Metric, Plan, SessionsPlan, UsersPlan } from '../../dsl/plan/plan.ts';
import type { Observations, Table } from '../../dsl/plan/table.ts';
import { MAX_TIME } from '../../dsl/time/duration.ts';
import type { ProjectRef } from '../../base/project.ts';
import type { EventStore, PageResult, QueryOptions } from '../../store/event-store.ts';

/** Events to look up: a formula may name many. */
const MOST_EVENTS = 8;

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
  return plan.kind === 'sessions' && plan.where === null && observations.sessions?.events === 0;
}

/** Whether an empty answer means that the range has no session. */
function readsAllSessions(plan: Plan): plan is SessionsPlan {
  return (
    plan.kind === 'sessions' && plan.where === null && plan.whereRows === null && plan.offset + plan.page.offset === 0
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
  for (const name of stored.slice(0, MOST_EVENTS)) {
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
