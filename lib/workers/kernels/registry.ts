/** The kernel of every kind of plan. */
import type { Plan } from '../../dsl/plan/plan.ts';
import { unreachable } from '../../base/unreachable.ts';
import { aggregateKernel } from './aggregate.ts';
import { arrivalsKernel } from './list/arrivals.ts';
import { attributionKernel } from './attribution/attribution.ts';
import { choiceKernel } from './choice/choice.ts';
import { type Kernel } from './contract.ts';
import { didKernel } from './did.ts';
import { fieldsKernel } from './fields/fields.ts';
import { formulaKernel } from './formula.ts';
import { funnelKernel } from './funnel/funnel.ts';
import { identitiesKernel } from './identities.ts';
import { inspectKernel } from './fields/inspect.ts';
import { latestKernel } from './list/latest.ts';
import { lifecycleKernel } from './presence/lifecycle.ts';
import { listKernel } from './list/list.ts';
import { pathsKernel } from './paths/paths.ts';
import { sessionsKernel } from './sessions.ts';
import { retentionKernel } from './retention/retention.ts';
import { stickinessKernel } from './presence/stickiness.ts';
import { usersKernel } from './users.ts';

export function kernelOf(plan: Plan): Kernel {
  switch (plan.kind) {
    case 'aggregate':
      return aggregateKernel(plan);
    case 'list':
      return plan.arrivals === true ? arrivalsKernel(plan) : listKernel(plan);
    case 'latest':
      return latestKernel(plan);
    case 'users':
      return usersKernel(plan);
    case 'formula':
      return formulaKernel(plan);
    case 'fields':
      return fieldsKernel(plan);
    case 'inspect':
      return plan.event === null ? inspectKernel(plan) : fieldsKernel(plan);
    case 'paths':
      return pathsKernel(plan);
    case 'choice':
      return choiceKernel(plan);
    case 'attribution':
      return attributionKernel(plan);
    case 'sessions':
      return sessionsKernel(plan);
    case 'funnel':
      return funnelKernel(plan);
    case 'retention':
      return retentionKernel(plan);
    case 'lifecycle':
      return lifecycleKernel(plan);
    case 'stickiness':
      return stickinessKernel(plan);
    case 'did':
      return didKernel(plan);
    case 'identities':
      return identitiesKernel(plan);
    default:
      return unreachable(plan);
  }
}
