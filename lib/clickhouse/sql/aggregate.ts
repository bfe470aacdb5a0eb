/** Metrics over events, grouped. */
import type { AggregatePlan } from '../../dsl/plan/plan.ts';
import { groupedQuestion, metricsOf, type Question } from './groups.ts';
import { EventRows, namesOf } from './rows.ts';
import type { Tenant } from './tenant.ts';

export function aggregateQuestion(project: Tenant, plan: AggregatePlan): Question {
  const { range, event, where, person } = plan;
  const rows = new EventRows(project, plan, { range, events: namesOf([event]), where, person });
  return groupedQuestion(rows, plan, metricsOf(plan.metrics, rows));
}
