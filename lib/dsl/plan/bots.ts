/** Events of bots, which a project's setting leaves out of answers. */
import { joinAnd } from './conditions.ts';
import { fieldKey } from './fields.ts';
import { fieldUses } from './plan-uses.ts';
import type { Condition, Field, Plan } from './plan.ts';

export const DEVICE_TYPE: Field = { kind: 'enriched', name: '_device_type' };
export const BOT = 'bot';

const IS_NO_BOT: Condition = {
  kind: 'not',
  term: { kind: 'test', field: DEVICE_TYPE, test: { op: 'equals', literal: { type: 'string', value: BOT } } },
};

/** Profiles are of nobody's device, and a query that speaks of devices means those that it names. */
export function leaveOutBots(plan: Plan): Plan {
  const namesDevices = fieldUses(plan).some(({ field }) => fieldKey(field) === fieldKey(DEVICE_TYPE));
  if (plan.kind === 'users' || namesDevices) return plan;
  return { ...plan, where: joinAnd([...termsOf(plan.where), IS_NO_BOT]), leavesOutBots: true };
}

/** Whether the query itself asks of events that they meet a condition. */
export const hasCondition = ({ where, leavesOutBots }: Plan): boolean =>
  where !== null && (leavesOutBots !== true || where.kind === 'and');

const termsOf = (where: Condition | null): readonly Condition[] =>
  where === null ? [] : where.kind === 'and' ? where.terms : [where];
