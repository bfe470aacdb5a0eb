/**
 * Funnels. Parts find the events of the steps (and the excluded ones) and send who did them when; the merge lays them out person
 * by person, and goes through each person's attempts.
 */
import { columnsOf } from '../../../dsl/plan/columns.ts';
import { finishTable } from '../../../dsl/finish/finish.ts';
import { stepRows } from '../../../dsl/finish/funnel-steps.ts';
import type { FunnelPlan, People } from '../../../dsl/plan/plan.ts';
import type { Cell, Table } from '../../../dsl/plan/table.ts';
import { knownValues } from '../../metrics/metric-state.ts';
import { mergeLabels, type Labelled, type MergedGroups } from '../../metrics/merge-groups.ts';
import { Timelines } from '../../persons/timelines.ts';
import type { PersonEvents } from '../../persons/event-list.ts';
import { NumberedPersons } from '../../persons/members.ts';
import { Window } from '../../persons/window.ts';
import type { RowContext } from '../../query-context.ts';
import type { Kernel } from '../contract.ts';
import { pagedTable } from '../group-rows.ts';
import { FoundPeople, peopleTable } from '../people.ts';
import { ActorEvents } from './actor-events.ts';
import { BestAttempts } from './best-attempts.ts';
import { FunnelAttempts, type CountedAttempt } from './funnel-attempts.ts';
import { FunnelCounts } from './funnel-counts.ts';
import { eachOnce, gatherFunnel, sharesEvents } from './funnel-gathering.ts';
import { onlyKind, type FunnelPartial } from '../partial-result.ts';
import { ENTRY_BYTES } from '../../budget.ts';

interface Counted {
  readonly counts: FunnelCounts;
  readonly labels: number;
  readonly groups: MergedGroups | null;
}

export function funnelKernel(plan: FunnelPlan): Kernel {
  return {
    order: 'oldest',
    start: (context) => gatherFunnel(plan, context),
    answer(partials, context) {
      const parts = onlyKind('funnel', partials);
      const groups = groupsOf(plan, parts, context);
      if (plan.people !== undefined) return people(plan, plan.people, { parts, groups, context });
      return answer(plan, count(plan, { parts, groups, context }), context);
    },
  };
}

/** The groups that labels stand for; null without. */
function groupsOf(plan: FunnelPlan, parts: readonly FunnelPartial[], context: RowContext): MergedGroups | null {
  const columns = plan.groups.length;
  const starts = (): Labelled[] => parts.map(({ labels, steps }) => ({ labels, own: steps[0]!.labels! }));
  return columns === 0 ? null : mergeLabels(starts(), columns, context);
}

interface Found {
  readonly parts: readonly FunnelPartial[];
  readonly groups: MergedGroups | null;
  readonly context: RowContext;
}

function count(plan: FunnelPlan, { parts, groups, context }: Found): Counted {
  const labels = groups?.count ?? 1;
  const { steps, persons, each } = attemptsOf(plan, parts, context);
  const most = steps.map(({ total }) => Math.min(total, persons));
  // Whoever reached more steps in any order need not have done them in the order in which they are written.
  if (plan.stepOrder === 'any')
    most.fill(
      Math.min(
        most.reduce((sum, some) => sum + some, 0),
        persons,
      ),
    );
  const counts = new FunnelCounts(plan, labels, most, context);
  each((attempt) => counts.add(attempt));
  return { counts, labels, groups };
}

/** Those who reached a step, or those of them who went no further. */
function people(plan: FunnelPlan, { which, nth }: People, { parts, groups, context }: Found): Table {
  const { persons, each } = attemptsOf(plan, parts, context);
  const found = new FoundPeople(persons, context);
  each(({ actor, times, label, reached }) => {
    if (which === 'reached' ? reached >= nth : reached === nth) found.add(actor, times[nth - 1]!, label);
  });
  return peopleTable(plan, found, (label) => plan.groups.map((_, at) => groups!.text(at, label)), context);
}

/** The counted attempts of all actors, of which each is valid until the next. Walks once. */
function attemptsOf(
  plan: FunnelPlan,
  parts: readonly FunnelPartial[],
  context: RowContext,
): {
  readonly steps: readonly Timelines[];
  /** All persons are below this. */
  readonly persons: number;
  readonly each: (use: (attempt: CountedAttempt) => void) => void;
} {
  const persons = Math.max(...parts.map((part) => part.persons));
  const [seats] = parts.flatMap((part) => part.seats ?? []);
  const { attempts, steps } = walkOf(plan, parts, context);
  const events = steps.reduce((sum, { total }) => sum + total, 0);
  const members = new NumberedPersons(persons, events, context, seats !== undefined || plan.people !== undefined);
  const best = seats === undefined ? null : new BestAttempts(seats.actors, steps.length, context);
  return {
    steps,
    persons: seats?.actors ?? persons,
    each(use) {
      for (const slice of members.slices()) {
        context.checkpoint();
        attempts.countSlice(slice, members, best === null ? use : (attempt) => best.add(attempt));
      }
      best?.each(use);
    },
  };
}

function walkOf(
  plan: FunnelPlan,
  parts: readonly FunnelPartial[],
  context: RowContext,
): { readonly attempts: FunnelAttempts; readonly steps: readonly Timelines[] } {
  const [seats] = parts.flatMap((part) => part.seats ?? []);
  // Of several events, a segment's come name by name.
  const timelinesOf = (own: PersonEvents[], events: number): Timelines =>
    new Timelines(own, events === 1 && parts.every((part) => part.inOrder), context);
  const others = (own: PersonEvents[], events: number): ActorEvents | null =>
    own.length === 0 ? null : new ActorEvents(timelinesOf(own, events), seats?.actors ?? null, context);
  const steps = plan.steps.map(({ events }, step) =>
    timelinesOf(
      parts.map((part) => part.steps[step]!),
      eachOnce(events).length,
    ),
  );
  const attempts = new FunnelAttempts({
    steps,
    order: plan.stepOrder,
    excluded: others(
      parts.flatMap((part) => part.excluded ?? []),
      eachOnce(plan.exclude).length,
    ),
    all: others(
      parts.flatMap((part) => part.all ?? []),
      1,
    ),
    window: new Window(plan.window, context.zone),
    shared: sharesEvents(plan),
    seats:
      seats === undefined
        ? null
        : { actorOf: (seat) => seats.actorOf[seat]!, isEmpty: (seat) => seats.values[seat] === 0 },
    checkpoint: context.checkpoint,
  });
  return { attempts, steps };
}

function answer(plan: FunnelPlan, counted: Counted, context: RowContext): Table {
  const { counts, labels, groups } = counted;
  const started = Array.from({ length: labels }, (_, label) => label).filter((label) => counts.persons(label, 0) > 0);
  const rowsOf = (some: Iterable<number>): Cell[][] =>
    Array.from(some, (label) => labelRows(plan, label, counted, context)).flat();
  if (groups === null) return finishTable(plan, columnsOf(plan), rowsOf(started));
  const values = [knownValues(Float64Array.from(started, (label) => counts.persons(label, 0)))];
  const merged = { groups: someGroups(groups, started), values };
  return pagedTable(
    plan,
    plan.groups,
    merged,
    (only) => rowsOf(only?.map((at) => started[at]!) ?? started),
    plan.steps.length,
  );
}

/** The rows of one label. */
function labelRows(plan: FunnelPlan, label: number, { counts, groups }: Counted, context: RowContext): Cell[][] {
  context.budget.take(plan.steps.length * ENTRY_BYTES);
  const group = plan.groups.map((_, nth) => groups!.text(nth, label));
  const steps = plan.steps.map((_, step) => ({
    reached: counts.persons(label, step),
    times: counts.times(label, step),
  }));
  return stepRows(plan, steps).map((row) => [...group, ...row]);
}

/** Only these groups, numbered by their places. */
function someGroups(groups: MergedGroups, some: readonly number[]): MergedGroups {
  return {
    count: some.length,
    text: (column, at) => groups.text(column, some[at]!),
    id: (column, at) => groups.id(column, some[at]!),
    compare: (a, b) => groups.compare(some[a]!, some[b]!),
    places: [],
  };
}
