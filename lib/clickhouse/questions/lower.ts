/** A plan → the statements that answer it. The table of contents. */
import { unreachable } from '../../base/unreachable.ts';
import type { Plan } from '../../dsl/plan/plan.ts';
import { aggregateQuestion, formulaQuestion, inspectQuestion } from './aggregate.ts';
import { choiceQuestion } from './choice.ts';
import { funnelQuestion } from './funnel.ts';
import type { Question } from '../sql/groups.ts';
import { knownFieldsQuestion } from './known-fields.ts';
import { latestQuestion } from './latest.ts';
import { lifecycleQuestion, pathsQuestion, stickinessQuestion } from './persons.ts';
import { listQuestion } from './list.ts';
import { retentionQuestion } from './retention.ts';
import { sessionsQuestion } from './sessions.ts';
import type { Sql } from '../sql/statement.ts';
import type { TableQuestion } from './table-question.ts';
import { usersQuestion } from './users.ts';
import type { Tenant } from '../sql/tenant.ts';

/**
 * `all`: every row of the answer, unordered. `table`: the same, read all together. `page`: the rows of the page, in order, and how
 * many there are.
 */
export type Lowered =
  | { readonly kind: 'all'; readonly question: Question }
  | { readonly kind: 'table'; readonly question: TableQuestion }
  | { readonly kind: 'page'; readonly rows: Question; readonly count: Sql };

/** Looking for a projection takes ClickHouse some milliseconds, and only what merely counts is answered by one. */
export function answerSettings(plan: Plan): { readonly optimize_use_projections?: 0 } {
  return plan.kind === 'aggregate' && plan.groups.length === 0 ? {} : { optimize_use_projections: 0 };
}

export function lower(project: Tenant, plan: Plan): Lowered {
  switch (plan.kind) {
    case 'aggregate':
      return { kind: 'all', question: aggregateQuestion(project, plan) };
    case 'formula':
      return { kind: 'all', question: formulaQuestion(project, plan) };
    case 'list':
      return { kind: 'page', ...listQuestion(project, plan) };
    case 'latest':
      return { kind: 'all', question: latestQuestion(project, plan) };
    case 'users':
      return { kind: 'all', question: usersQuestion(project, plan) };
    case 'sessions':
      return { kind: 'all', question: sessionsQuestion(project, plan) };
    case 'funnel':
      return { kind: 'table', question: funnelQuestion(project, plan) };
    case 'retention':
      return { kind: 'table', question: retentionQuestion(project, plan) };
    case 'paths':
      return { kind: 'table', question: pathsQuestion(project, plan) };
    case 'lifecycle':
      return { kind: 'table', question: lifecycleQuestion(project, plan) };
    case 'stickiness':
      return { kind: 'table', question: stickinessQuestion(project, plan) };
    case 'choice':
      return { kind: 'table', question: choiceQuestion(project, plan) };
    case 'fields':
      return { kind: 'all', question: knownFieldsQuestion(project, plan) };
    case 'inspect':
      return {
        kind: 'all',
        question: plan.event === null ? inspectQuestion(project, plan) : knownFieldsQuestion(project, plan),
      };
    default:
      return unreachable(plan);
  }
}
