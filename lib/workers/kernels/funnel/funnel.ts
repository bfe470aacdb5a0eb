/**
 * Funnels. Parts find the events of the steps (and the excluded ones) and send who did them when; the merge lays them out person
 * by person, and goes through each person's attempts.
 */
import { columnsOf } from '../../../dsl/plan/columns.ts';
import { finishTable } from '../../../dsl/finish/finish.ts';
import type { EventName, FunnelPlan } from '../../../dsl/plan/plan.ts';
import type { Cell, Table } from '../../../dsl/plan/table.ts';
import { mergeLabels, type Labelled, type MergedGroups } from '../../metrics/merge-groups.ts';
import { Timelines } from '../../persons/timelines.ts';
import { EventList, type PersonEvents } from '../../persons/event-list.ts';
import { NumberedPersons } from '../../persons/members.ts';
import { selectEvents } from '../../persons/select-events.ts';
import { StartLabels } from '../../persons/start-labels.ts';
import { Window } from '../../persons/window.ts';
import type { QueryContext, RowContext } from '../../query-context.ts';
import type { Kernel, Run } from '../contract.ts';
import { pagedTable } from '../group-rows.ts';
import { FunnelAttempts } from './funnel-attempts.ts';
import { FunnelCounts } from './funnel-counts.ts';
import { only, type FunnelPartial } from '../partial-result.ts';
import type { TimeRange } from '../../../dsl/time/units.ts';
import type { SegmentSummary } from '../../../shards/shard-reader.ts';

interface Counted {
  readonly counts: FunnelCounts;
  readonly labels: number;
  readonly groups: MergedGroups | null;
}

const BYTES_PER_ROW = 150;

export function funnelKernel(plan: FunnelPlan): Kernel {
  const exclude = excludedEvents(plan);
  return {
    order: 'oldest',
    start: (context) => gather(plan, exclude, context),
    answer: (partials, context) => answer(plan, count(plan, only('funnel', partials), context), context),
  };
}

/** Which events are excluded, each once; a single null stands for all. */
function excludedEvents({ exclude }: FunnelPlan): readonly EventName[] {
  return exclude.includes(null) ? [null] : [...new Set(exclude)];
}

/** Whether one event may belong to several steps. */
function sharesEvents({ steps }: FunnelPlan): boolean {
  return steps.some(({ event }) => event === null) || new Set(steps.map(({ event }) => event)).size < steps.length;
}

function gather(plan: FunnelPlan, exclude: readonly EventName[], context: QueryContext): Run {
  const labels = plan.groups.length === 0 ? null : new StartLabels(plan.groups, context);
  const inOrder = inOrderOfTime(context.snapshot.segments, plan.range);
  const steps = plan.steps.map((_, step) => {
    const labelled = step === 0 && labels !== null;
    // Within a millisecond it matters which came first only if that is another label, or used by another step.
    return new EventList({ arrivals: sharesEvents(plan) || (labelled && !inOrder), labels: labelled }, context);
  });
  const excluded = exclude.length === 0 ? null : new EventList({ arrivals: false, labels: false }, context);
  return {
    consume(rows, range) {
      for (const [step, { event, where }] of plan.steps.entries()) {
        const labelled = step === 0 ? labels : null;
        if (plan.where === null && where === null && steps[step]!.addType(rows, event, plan.range)) continue;
        const wanted = { event, where: [plan.where, where], starts: labelled?.starts ?? null };
        const positions = selectEvents(rows, range, wanted, context);
        steps[step]!.add(rows, positions, labelled?.of(rows, positions) ?? null);
      }
      for (const event of exclude) {
        if (plan.where === null && excluded!.addType(rows, event, plan.range)) continue;
        excluded!.add(rows, selectEvents(rows, range, { event, where: [plan.where], starts: null }, context), null);
      }
    },
    partial() {
      const events = steps.map((list) => list.partial());
      const starts = events[0]!.labels;
      return {
        kind: 'funnel',
        persons: context.identity().size,
        inOrder,
        steps: events,
        excluded: excluded?.partial() ?? null,
        labels: labels === null || starts === null ? null : labels.pack(starts),
      };
    },
  };
}

function count(plan: FunnelPlan, parts: readonly FunnelPartial[], context: RowContext): Counted {
  const columns = plan.groups.length;
  const starts = (): Labelled[] => parts.map(({ labels, steps }) => ({ labels, own: steps[0]!.labels! }));
  const groups = columns === 0 ? null : mergeLabels(starts(), columns, context);
  const labels = groups?.count ?? 1;
  const persons = Math.max(...parts.map((part) => part.persons));
  const inOrder = parts.every((part) => part.inOrder);
  const eventsOf = (step: number): PersonEvents[] => parts.map(({ steps }) => steps[step]!);
  const steps = plan.steps.map((_, step) => new Timelines(eventsOf(step), inOrder, context));
  const excluded = parts.flatMap((part) => part.excluded ?? []);
  const attempts = new FunnelAttempts({
    steps,
    // With several excluded events, a segment's come name by name.
    excluded: excluded.length === 0 ? null : new Timelines(excluded, inOrder && plan.exclude.length === 1, context),
    window: new Window(plan.window, context.zone),
    shared: sharesEvents(plan),
    checkpoint: context.checkpoint,
  });
  const most = steps.map(({ total }) => Math.min(total, persons));
  const counts = new FunnelCounts(labels, most, context);
  const members = new NumberedPersons(
    persons,
    steps.reduce((sum, { total }) => sum + total, 0),
    context,
  );
  for (const slice of members.slices()) {
    context.checkpoint();
    attempts.countSlice(slice, members, counts);
  }
  return { counts, labels, groups };
}

function answer(plan: FunnelPlan, counted: Counted, context: RowContext): Table {
  const { counts, labels, groups } = counted;
  const started = Array.from({ length: labels }, (_, label) => label).filter((label) => counts.persons(label, 0) > 0);
  const rowsOf = (some: Iterable<number>): Cell[][] =>
    Array.from(some, (label) => stepRows(plan, label, counted, context)).flat();
  if (groups === null) return finishTable(plan, columnsOf(plan), rowsOf(started));
  const values = [Float64Array.from(started, (label) => counts.persons(label, 0))];
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
function stepRows(plan: FunnelPlan, label: number, { counts, groups }: Counted, context: RowContext): Cell[][] {
  context.budget.take(plan.steps.length * BYTES_PER_ROW);
  const group = plan.groups.map((_, nth) => groups!.text(nth, label));
  return plan.steps.map(({ event }, step) => {
    const persons = counts.persons(label, step);
    const before = step === 0 ? persons : counts.persons(label, step - 1);
    const rate = before === 0 ? null : persons / before;
    return [
      ...group,
      step + 1,
      event ?? '*',
      persons,
      persons / counts.persons(label, 0),
      rate,
      counts.median(label, step),
    ];
  });
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

/** False if some segment of the range begins before another ends, or in its last millisecond: late events cause that. */
export function inOrderOfTime(segments: readonly SegmentSummary[], { from, to }: TimeRange): boolean {
  let end = -Infinity;
  for (const { first, last } of segments.toSorted((a, b) => a.first - b.first)) {
    if (first >= to || last < from) continue;
    if (first <= end) return false;
    end = last;
  }
  return true;
}
