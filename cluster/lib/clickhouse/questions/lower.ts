/** A plan → the statement that answers it. The table of contents. */
import { type ListPlan, type Plan, rowOfPerson, unreachable } from '../../../../lib/seam.ts';
import { aggregateQuestion, formulaQuestion, inspectQuestion } from './aggregate.ts';
import { attributionQuestion } from './attribution.ts';
import { choiceQuestion } from './choice.ts';
import { funnelQuestion } from './funnel.ts';
import type { Question } from '../sql/groups.ts';
import { knownFieldsQuestion } from './known-fields.ts';
import { latestQuestion } from './latest.ts';
import { lifecycleQuestion, pathsQuestion, stickinessQuestion, identitiesQuestion, usersQuestion } from './persons.ts';
import { retentionQuestion } from './retention.ts';
import { sessionsQuestion } from './sessions.ts';
import type { Tenant } from '../sql/statement.ts';

/** Looking for a projection takes ClickHouse some milliseconds, and only what merely counts is answered by one. */
export function answerSettings(plan: Plan): { readonly optimize_use_projections?: 0 } {
  return plan.kind === 'aggregate' && plan.groups.length === 0 ? {} : { optimize_use_projections: 0 };
}

/** For all rows of an answer; a list has its own (list.ts), which cuts the page. */
export function lower(project: Tenant, plan: Exclude<Plan, ListPlan>): Question {
  const question = lowerAnswer(project, plan);
  if (plan.people === undefined) return question;
  return { ...question, readRows: (found) => question.readRows(found).map(rowOfPerson) };
}

/** Of people, the rows have the groups of `personLabels`, what the source adds, and the time. */
function lowerAnswer(project: Tenant, plan: Exclude<Plan, ListPlan>): Question {
  switch (plan.kind) {
    case 'aggregate':
      return aggregateQuestion(project, plan);
    case 'formula':
      return formulaQuestion(project, plan);
    case 'latest':
      return latestQuestion(project, plan);
    case 'users':
      return usersQuestion(project, plan);
    case 'sessions':
      return sessionsQuestion(project, plan);
    case 'funnel':
      return funnelQuestion(project, plan);
    case 'retention':
      return retentionQuestion(project, plan);
    case 'paths':
      return pathsQuestion(project, plan);
    case 'lifecycle':
      return lifecycleQuestion(project, plan);
    case 'stickiness':
      return stickinessQuestion(project, plan);
    case 'choice':
      return choiceQuestion(project, plan);
    case 'attribution':
      return attributionQuestion(project, plan);
    case 'fields':
      return knownFieldsQuestion(project, plan);
    case 'inspect':
      return plan.event === null ? inspectQuestion(project, plan) : knownFieldsQuestion(project, plan);
    case 'identities':
      return identitiesQuestion(project, plan);
    case 'did':
      throw new Error('no query asks only who did something');
    default:
      return unreachable(plan);
  }
}
