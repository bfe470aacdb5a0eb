/** Pages of a list that go on behind the last event of another one, so that a later page costs no more than the first. */
import type { ListPlan, Plan } from '../plan/plan.ts';
import { placeText, type EventPlace } from '../plan/onward.ts';
import type { Table } from '../plan/table.ts';

/** Whether pages of the plan can go on so: those of a list in its usual order, on whose rows no stage works. */
export function goesOnward(plan: Plan): plan is ListPlan {
  return plan.kind === 'list' && plan.order.kind === 'default' && plan.tableStages.length === 0;
}

/** The plan for the rows behind those of the earlier pages. @param passed How many these are, before any stage left some out. */
export function behind(plan: ListPlan, passed: number): ListPlan {
  if ((plan.onward?.after ?? null) === null) return plan;
  const { offset, limit } = plan;
  const shown = Math.max(0, passed - offset);
  return {
    ...plan,
    offset: Math.max(0, offset - passed),
    limit: limit === null ? null : Math.max(0, limit - shown),
  };
}

/** What a page was cut from. */
interface CutFrom {
  /** The places of rows in order, the first `skipped` of which are not on the page. */
  readonly places: readonly EventPlace[];
  readonly skipped: number;
  /** Rows of the earlier pages. */
  readonly passed: number;
  /** The page, whose total is of the rows behind those. */
  readonly table: Table;
}

/** The page of a list, which counts the rows of earlier pages too, and says how far it goes. */
export function withReached(plan: ListPlan, { places, skipped, passed, table }: CutFrom): Table {
  if (!goesOnward(plan)) return table;
  const last = table.rows.length === 0 ? undefined : places[skipped + table.rows.length - 1];
  const total = table.total + Math.max(0, passed - plan.offset);
  if (last === undefined) return { ...table, total };
  const more = plan.page.offset + table.rows.length < table.total;
  return { ...table, total, reached: { at: placeText(last), more } };
}
