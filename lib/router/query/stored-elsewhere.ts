/** What an empty answer did not show: how much of the same is stored outside its range, and in which period. */
import { type Elsewhere, type Known, wantsCatalog } from '../../dsl/hints/notes.ts';
import { CHOICE_KEY, EXPOSURE } from '../../dsl/plan/choice.ts';
import type { AggregatePlan, Field, Metric, Plan, SessionsPlan, UsersPlan } from '../../dsl/plan/plan.ts';
import type { Table } from '../../dsl/plan/table.ts';
import { MAX_TIME } from '../../dsl/time/duration.ts';
import type { ProjectRef } from '../../base/project.ts';
import type { EventStore, PageResult, QueryOptions } from '../../store/event-store.ts';

/** Events to look up: a formula may name many. */
const MOST_EVENTS = 8;

/** Choices, the most frequent first, of which the nearest to an unknown one is named. */
const MOST_CHOICES = 1_000;

/** Whether an answer shows so little that stored data could explain it. */
export function wantsMore(plan: Plan, { page, observations }: PageResult): boolean {
  if (wantsCatalog(observations) || observations.rowsScanned === 0) return true;
  return page.isEmpty && (personOf(plan) !== null || choiceOf(plan) !== null || readsAllSessions(plan));
}

/** Whether an empty answer means that the range has no session. */
function readsAllSessions(plan: Plan): plan is SessionsPlan {
  return (
    plan.kind === 'sessions' && plan.where === null && plan.having === null && plan.offset + plan.page.offset === 0
  );
}

/** Asks the store for what the notes of the answer can say. */
export async function storedElsewhere(
  store: Pick<EventStore, 'query' | 'catalog' | 'extent'>,
  { project, plan, result }: { readonly project: ProjectRef; readonly plan: Plan; readonly result: PageResult },
  options: QueryOptions,
): Promise<Known> {
  const { unseenEvents, rowsScanned } = result.observations;
  const person = personOf(plan);
  const names = wantsCatalog(result.observations) ? (result.names ?? (await store.catalog(project))) : null;
  const stored = unseenEvents.filter((event) => names?.events.some(({ name }) => name === event));
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
    const known = result.spans?.find((span) => span.name === name);
    const of = { kind: 'event', name } as const;
    if (known === undefined) await probe(of, spanOfEvents(plan, { event: name }));
    else elsewhere.push({ of, rows: known.rows, first: known.first, last: known.last });
  }
  if (plan.kind === 'users') {
    if (rowsScanned === 0) await probe({ kind: 'users' }, spanOfUsers(plan));
  } else if (rowsScanned === 0 && stored.length === 0 && person === null) {
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
  return { names, elsewhere: elsewhere.filter((one) => one !== null), unseenChoice, isEmptyProject };
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
const WHOLE = { order: { kind: 'default' }, offset: 0, limit: null, page: { limit: 1, offset: 0 } } as const;

function spanOfEvents(
  { zone }: Plan,
  { event = null, person = null }: Partial<Pick<AggregatePlan, 'event' | 'person'>>,
): AggregatePlan {
  const metrics = spanOfTime({ kind: 'core', name: 'time' });
  return { kind: 'aggregate', zone, range: ALWAYS, where: null, event, person, groups: [], metrics, ...WHOLE };
}

function exposuresOf(plan: Plan, choice: string): AggregatePlan {
  const test = { op: 'equals', literal: { type: 'string', value: choice } } as const;
  return { ...spanOfEvents(plan, { event: EXPOSURE }), where: { kind: 'test', field: CHOICE_KEY, test } };
}

function choicesOf({ zone }: Plan): AggregatePlan {
  const groups = [{ kind: 'field', field: CHOICE_KEY, column: 'choice_key' }] as const;
  const page = { limit: MOST_CHOICES, offset: 0 };
  const metrics = [{ kind: 'count', column: 'count' }] as const;
  return { kind: 'aggregate', zone, range: ALWAYS, where: null, event: EXPOSURE, person: null, groups, metrics, ...WHOLE, limit: MOST_CHOICES, page }; // prettier-ignore
}

function spanOfUsers({ zone }: Plan): UsersPlan {
  const metrics = spanOfTime({ kind: 'account', name: 'last_seen' });
  return { kind: 'users', zone, range: ALWAYS, where: null, groups: [], metrics, ...WHOLE };
}

function spanOfSessions({ zone }: Plan): SessionsPlan {
  const metrics = spanOfTime({ kind: 'session', name: 'start_time' });
  return { kind: 'sessions', zone, range: ALWAYS, where: null, having: null, groups: [], metrics, ...WHOLE };
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
