/** Cohorts by first start, and who came back in the k-th bucket after it. */
import { periodsOf } from '../../../dsl/plan/columns.ts';
import type { CellMetric, People, RetentionPlan } from '../../../dsl/plan/plan.ts';
import { FirstStarts } from '../../persons/first-starts.ts';
import { StartLabels } from '../../persons/start-labels.ts';
import { readRange, returnsByStarting, usesMasks } from '../../plan-parts.ts';
import type { QueryContext } from '../../query-context.ts';
import { tableKernel, type Kernel } from '../contract.ts';
import { onlyKind } from '../partial-result.ts';
import { CellSums, cellTable } from './cell-sums.ts';
import { PeriodPeople } from './period-people.ts';
import { cohortBuckets } from './retention-buckets.ts';
import { mergeCohorts, retentionTable } from './retention-cohorts.ts';
import {
  type Gathering,
  gatherMasks,
  PeriodMarks,
  type RetentionOptions,
  RetentionSweep,
} from './retention-gathering.ts';

export function retentionKernel(plan: RetentionPlan): Kernel {
  if (plan.people !== undefined) return peopleKernel(plan, plan.people);
  if (plan.metrics.length > 0) return cellKernel(plan);
  const masked = usesMasks(plan);
  return {
    order: 'oldest',
    start(context) {
      const options = startOf(plan, context);
      const { starts, labels } = options;
      const gathering = masked ? gatherMasks(options) : sweepMarks(plan, options);
      return {
        consume: (rows, range) => gathering.consume(rows, range),
        partial() {
          const seen = gathering.seen(); // first: it ends the gathering
          // Where starts are returns, whoever started was present; elsewhere nobody counts who has not started.
          const persons = masked ? seen.persons() : starts.started();
          const { cohorts, places } = starts.of(persons);
          const placed = places?.labels ?? null;
          const packed = labels === null || placed === null ? null : labels.pack(placed);
          const found = { persons, cohorts, places, seen: seen.of(persons) };
          return { kind: 'retention', ...found, relative: !masked, labels: packed };
        },
      };
    },
    answer: (partials, context) =>
      retentionTable(plan, mergeCohorts(onlyKind('retention', partials), plan.groups.length, context), context),
  };
}

function sweepMarks(plan: RetentionPlan, options: RetentionOptions): Gathering {
  const sweep = new RetentionSweep(options, new PeriodMarks(plan, options));
  return { consume: (rows, range) => sweep.consume(rows, range), seen: () => sweep.finish().masks };
}

/** In one part: what a returning event adds depends on the start. */
function cellKernel(plan: RetentionPlan): Kernel {
  return tableKernel('oldest', (context) => {
    const options = startOf(plan, context);
    const { before, labels } = cohortBuckets(plan);
    const width = Math.min(periodsOf(plan).last + 1, labels.length);
    const cells = new CellSums({ starts: options.starts, before, width, persons: context.identity().size }, context);
    const sweep = new RetentionSweep(options, cells);
    return {
      consume: (rows, range) => sweep.consume(rows, range),
      table() {
        sweep.finish();
        return cellTable(plan, cells, options.labels, context);
      },
    };
  });
}

/** In one part, too: when somebody returned depends on the start. */
function peopleKernel(plan: RetentionPlan, people: People): Kernel {
  return tableKernel('oldest', (context) => {
    const options = { ...startOf(plan, context), metric: TIMED };
    const sweep = new RetentionSweep(options, new PeriodPeople(plan, people, options));
    return {
      consume: (rows, range) => sweep.consume(rows, range),
      table: () => sweep.finish().table(),
    };
  });
}

/** Takes the returning events with their times, and no number. */
const TIMED: CellMetric = { kind: 'count', column: '' };

function startOf(plan: RetentionPlan, context: QueryContext): RetentionOptions {
  const labels = plan.groups.length === 0 ? null : new StartLabels(plan.groups, context);
  const buckets = cohortBuckets(plan).starts;
  const wanted = { where: [plan.where], starts: buckets };
  const starts = new FirstStarts(
    {
      persons: context.identity().size,
      buckets: buckets.length,
      places: labels !== null || plan.metrics.length > 0 || plan.people !== undefined || !returnsByStarting(plan),
      labelled: labels !== null,
    },
    context,
  );
  return {
    starting: { event: plan.event, ...wanted },
    returning: { event: plan.returning, ...wanted },
    metric: plan.metrics[0] ?? null,
    buckets,
    starts,
    labels,
    time: readRange(plan),
    context,
  };
}
