/** The kernel of every kind of plan: one table, which grows kernel by kernel. */
import { AppError } from '../../errors.ts';
import { fieldName } from '../../dsl/fields.ts';
import type { Plan } from '../../dsl/plan.ts';
import { unreachable } from '../../unreachable.ts';
import { planUses } from '../plan-uses.ts';
import { aggregateKernel } from './aggregate.ts';
import { choiceKernel } from './choice.ts';
import { bindKernel, type BoundKernel } from './contract.ts';
import { fieldsKernel } from './fields.ts';
import { formulaKernel } from './formula.ts';
import { inspectKernel } from './inspect.ts';
import { latestKernel } from './latest.ts';
import { listKernel } from './list.ts';
import { pathsKernel } from './paths.ts';
import { usersKernel } from './users.ts';

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
    case 'funnel':
    case 'retention':
    case 'sessions':
    case 'lifecycle':
    case 'stickiness':
      throw notAvailable(plan.kind);
    default:
      return unreachable(plan);
  }
}

/** Throws AppError `not_available` for what this release does not answer yet. */
export function checkAvailable(plan: Plan): void {
  kernelOf(plan);
  const session = planUses(plan).fields.find(({ kind }) => kind === 'session' || kind === 'last_session');
  if (session !== undefined) throw notAvailable(fieldName(session));
}

/** How many parts a plan may run in: some need all of their rows in one place. */
export function runsInOnePart(plan: Plan): boolean {
  return ONE_PART.has(plan.kind);
}

const ONE_PART: ReadonlySet<Plan['kind']> = new Set(['users', 'fields', 'inspect', 'list', 'paths', 'choice']);

function notAvailable(what: string): AppError {
  return new AppError(
    'not_available',
    `${what} is not available yet: ask for metrics of events, list, latest, users, formula, fields, inspect, paths or choice`,
  );
}
