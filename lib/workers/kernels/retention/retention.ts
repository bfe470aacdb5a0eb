/** Cohorts by first start, and who came back in the k-th bucket after it. */
import { zoneOf } from '../../../dsl/plan/columns.ts';
import type { RetentionPlan } from '../../../dsl/plan/plan.ts';
import { bucketsOf } from '../../../dsl/time/buckets.ts';
import { FirstStarts } from '../../persons/first-starts.ts';
import { StartLabels } from '../../persons/start-labels.ts';
import { returnsByStarting, usesMasks } from '../../plan-parts.ts';
import type { Kernel } from '../contract.ts';
import { mergeCohorts, retentionTable } from './retention-cohorts.ts';
import { gatherMasks, type RetentionOptions, RetentionSweep } from './retention-gathering.ts';
import { only } from '../partial-result.ts';

export function retentionKernel(plan: RetentionPlan): Kernel {
  const masked = usesMasks(plan);
  return {
    order: 'oldest',
    start(context) {
      const labels = plan.groups.length === 0 ? null : new StartLabels(plan.groups, context);
      const events = eventsOf(plan);
      const starts = new FirstStarts(
        {
          persons: context.identity().size,
          buckets: events.buckets.length,
          places: labels !== null || !returnsByStarting(plan),
          labelled: labels !== null,
        },
        context,
      );
      const options = { ...events, starts, labels, time: plan.range, context };
      const gathering = masked ? gatherMasks(options) : new RetentionSweep(options);
      return {
        consume: (rows, range) => gathering.consume(rows, range),
        partial() {
          const seen = gathering.seen(); // first: it ends the gathering
          const [cohorts, places] = [starts.cohorts(), starts.places()];
          const placed = places?.labels ?? null;
          const packed = labels === null || placed === null ? null : labels.pack(placed);
          return { kind: 'retention', cohorts, places, seen, relative: !masked, labels: packed };
        },
      };
    },
    answer: (partials, context) =>
      retentionTable(plan, mergeCohorts(only('retention', partials), plan.groups.length, context), context),
  };
}

function eventsOf(plan: RetentionPlan): Pick<RetentionOptions, 'starting' | 'returning' | 'buckets'> {
  const buckets = bucketsOf(plan.range, plan.unit, zoneOf(plan)).starts;
  const wanted = { where: [plan.where], starts: buckets };
  return { starting: { event: plan.event, ...wanted }, returning: { event: plan.returning, ...wanted }, buckets };
}
