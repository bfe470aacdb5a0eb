/** The events of a funnel in one part: of each step, excluded ones, and all of them where only the next of all may follow. */
import type { EventName, FunnelPlan } from '../../../dsl/plan/plan.ts';
import type { Positions } from '../../groups/positions.ts';
import { EventList } from '../../persons/event-list.ts';
import { inOrderOfTime } from '../../persons/in-order.ts';
import { selectEvents } from '../../persons/select-events.ts';
import { StartLabels } from '../../persons/start-labels.ts';
import type { QueryContext } from '../../query-context.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import type { Run } from '../contract.ts';
import { BetweenSteps } from './between-steps.ts';
import { FunnelMembers } from './funnel-members.ts';

/** The events of a step or those that are excluded, each once; a single null stands for all. */
export const eachOnce = (events: readonly EventName[]): readonly EventName[] =>
  events.includes(null) ? [null] : [...new Set(events)];

/** Whether one event may belong to several steps. */
export function sharesEvents({ steps }: FunnelPlan): boolean {
  const names = steps.flatMap(({ events }) => eachOnce(events));
  return names.includes(null) || new Set(names).size < names.length;
}

export function gatherFunnel(plan: FunnelPlan, context: QueryContext): Run {
  const labels = plan.groups.length === 0 ? null : new StartLabels(plan.groups, context);
  const members = plan.same === null && plan.unit === null ? null : new FunnelMembers(plan, context);
  const inOrder = inOrderOfTime(context.snapshot.segments, plan.range);
  const ordered = plan.stepOrder !== 'given' || members !== null || sharesEvents(plan);
  const isStart = (step: number): boolean => step === 0 || plan.stepOrder === 'any';
  const steps = plan.steps.map(({ events }, step) => {
    const labelled = isStart(step) && labels !== null;
    // Within a millisecond it matters which came first only if that is another label, or used by another step.
    const arrivals = ordered || (labelled && (!inOrder || events.length > 1));
    return new EventList({ arrivals, labels: labelled }, context);
  });
  const excluded = plan.exclude.length === 0 ? null : new EventList({ arrivals: false, labels: false }, context);
  const all = plan.stepOrder === 'strict' ? new EventList({ arrivals: true, labels: false }, context) : null;
  const select = (rows: EventRows, range: Parameters<Run['consume']>[1], event: EventName): Positions =>
    selectEvents(rows, range, { event, where: [plan.where], starts: null }, context);
  const between = all === null ? null : new BetweenSteps(plan, context);
  return {
    consume(rows, range) {
      for (const [step, { events, where }] of plan.steps.entries()) {
        const own = isStart(step) ? labels : null;
        for (const event of eachOnce(events)) {
          const isPlain = plan.where === null && where === null && members === null;
          if (isPlain && steps[step]!.addType(rows, event, plan.range)) continue;
          const wanted = { event, where: [plan.where, where], starts: null };
          const positions = selectEvents(rows, range, wanted, context);
          const seats = members?.seats(rows, positions, isStart(step)) ?? null;
          steps[step]!.add(rows, positions, own?.of(rows, positions) ?? null, seats);
        }
      }
      for (const event of eachOnce(plan.exclude)) {
        if (plan.where === null && members === null && excluded!.addType(rows, event, plan.range)) continue;
        const positions = select(rows, range, event);
        excluded!.add(rows, positions, null, members?.actors(rows, positions) ?? null);
      }
      if (all !== null && between !== null) {
        const positions = between.of(rows, select(rows, range, null));
        all.add(rows, positions, null, members?.actors(rows, positions) ?? null);
      }
    },
    partial() {
      const events = steps.map((list) => list.partial());
      const labelled = events.flatMap((list) => list.labels ?? []);
      return {
        kind: 'funnel',
        persons: members?.size ?? context.identity().size,
        inOrder,
        steps: events,
        excluded: excluded?.partial() ?? null,
        all: all?.partial() ?? null,
        seats: members?.partial() ?? null,
        labels: labels === null ? null : packAll(labels, labelled),
      };
    },
  };
}

/** Packs the labels of several lists as those of one. */
function packAll(labels: StartLabels, lists: readonly Uint32Array[]): ReturnType<StartLabels['pack']> {
  const [only] = lists;
  if (lists.length === 1 && only !== undefined) return labels.pack(only);
  const joined = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    joined.set(list, at);
    at += list.length;
  }
  const packed = labels.pack(joined);
  at = 0;
  for (const list of lists) {
    list.set(joined.subarray(at, at + list.length));
    at += list.length;
  }
  return packed;
}
