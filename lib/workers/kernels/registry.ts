/** The kernel of every kind of plan. */
import type { Plan } from '../../dsl/plan/plan.ts';
import { unreachable } from '../../base/unreachable.ts';
import { aggregateKernel } from './aggregate.ts';
import { choiceKernel } from './choice/choice.ts';
import { bindKernel, type BoundKernel } from './contract.ts';
import { fieldsKernel } from './fields/fields.ts';
import { formulaKernel } from './formula.ts';
import { funnelKernel } from './funnel/funnel.ts';
import { inspectKernel } from './fields/inspect.ts';
import { latestKernel } from './list/latest.ts';
import { lifecycleKernel } from './presence/lifecycle.ts';
import { listKernel } from './list/list.ts';
import { pathsKernel } from './paths/paths.ts';
import { sessionsKernel } from './sessions.ts';
import { retentionFitsMasks, retentionKernel } from './retention/retention.ts';
import { stickinessKernel } from './presence/stickiness.ts';
import { usersKernel } from './users.ts';
import { fitsMasks } from '../persons/fits-masks.ts';

export function kernelOf(plan: Plan): BoundKernel {
  switch (plan.kind) {
    case 'aggregate':
      return bindKernel(aggregateKernel(plan));
    case 'list':
      return bindKernel(listKernel(plan));
    case 'latest':
      return bindKernel(latestKernel(plan));
    case 'users':
      return bindKernel(usersKernel(plan));
    case 'formula':
      return bindKernel(formulaKernel(plan));
    case 'fields':
      return bindKernel(fieldsKernel(plan));
    case 'inspect':
      return plan.event === null ? bindKernel(inspectKernel(plan)) : bindKernel(fieldsKernel(plan));
    case 'paths':
      return bindKernel(pathsKernel(plan));
    case 'choice':
      return bindKernel(choiceKernel(plan));
    case 'sessions':
      return bindKernel(sessionsKernel(plan));
    case 'funnel':
      return bindKernel(funnelKernel(plan));
    case 'retention':
      return bindKernel(retentionKernel(plan));
    case 'lifecycle':
      return lifecycleKernel(plan);
    case 'stickiness':
      return stickinessKernel(plan);
    default:
      return unreachable(plan);
  }
}

/** Whether a plan's work is split by what is examined, and every part reads all segments: merging would cost more. */
export function runsInSlices(plan: Plan): boolean {
  return plan.kind === 'fields' || (plan.kind === 'inspect' && plan.event !== null);
}

/** Whether a plan needs all of its rows in one place: parts can be merged as long as masks are small. */
export function runsInOnePart(plan: Plan): boolean {
  switch (plan.kind) {
    case 'inspect':
      return plan.event === null;
    case 'retention':
      return !retentionFitsMasks(plan);
    case 'lifecycle':
      return !fitsMasks(plan.range, plan.unit);
    case 'stickiness':
      return !fitsMasks(plan.range, 'day');
    default:
      return ONE_PART.has(plan.kind);
  }
}

const ONE_PART: ReadonlySet<Plan['kind']> = new Set(['users', 'list', 'paths', 'choice', 'sessions']);
