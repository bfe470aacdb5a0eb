/** `sessions`: conditions on events choose what sessions are made of, conditions on `session.*` choose sessions. */
import { basePlanWhere, bindMetrics, DISTINCT_ID } from './bind-events.ts';
import { bindConditions } from './bind-condition.ts';
import { bindGroups } from './bind-groups.ts';
import { failAt, type Binding } from './binding.ts';
import type { Group, Plan } from '../plan/plan.ts';
import type { ConditionNode } from '../parse/syntax.ts';

export function bindSessions(binding: Binding): Plan {
  const { stages } = binding;
  bindConditions(binding, stages.where, 'events'); // report an unknown field before a mixture
  const nodes = stages.where.flatMap((node) => split(binding, node));
  const ofEvents = nodes.filter((node) => sideOf(node) === 'event');
  const ofSessions = nodes.filter((node) => sideOf(node) === 'session');
  const base = basePlanWhere(binding, { count: 7, unit: 'd' }, bindConditions(binding, ofEvents, 'events'));
  const having = bindConditions(binding, ofSessions, 'events');
  const metrics = bindMetrics(binding, 'events', DISTINCT_ID, []);
  return { kind: 'sessions', ...base, having, groups: bindSessionGroups(binding), metrics };
}

/** By day, if the query has neither metrics nor groups. */
function bindSessionGroups(binding: Binding): readonly Group[] {
  const { stages } = binding;
  if (stages.groups === null && stages.one('metrics') === null) return [{ kind: 'bucket', unit: 'day', column: 'day' }];
  return bindGroups(binding, stages.groups, 'events');
}

type Side = 'event' | 'session' | 'mixed';

function sideOf(node: ConditionNode): Side {
  if (node.kind === 'not') return sideOf(node.term);
  if (!('terms' in node)) return node.field.name.startsWith('session.') ? 'session' : 'event';
  const [only, other] = new Set(node.terms.map(sideOf));
  return only === undefined || other !== undefined ? 'mixed' : only;
}

/** Splits a condition at `and` into parts of one side each. Throws QueryError for an `or` or `not` over both sides. */
function split(binding: Binding, node: ConditionNode): readonly ConditionNode[] {
  if (sideOf(node) !== 'mixed') return [node];
  if (node.kind === 'and') return node.terms.flatMap((term) => split(binding, term));
  const sentence = 'conditions on events and on `session.*` can only be joined with `and`';
  if (node.kind === 'not') {
    return failAt(binding, { start: node.at, end: node.at }, sentence, ['put `not` before each of them']);
  }
  const at = 'operators' in node ? mixingOr(node.terms, node.operators) : 0;
  return failAt(binding, { start: at, end: at }, sentence, ['use two `where` stages, or two queries']);
}

/** Position of the first `or` that joins two sides. */
function mixingOr(terms: readonly ConditionNode[], operators: readonly number[]): number {
  const sides = terms.map(sideOf);
  const second = sides.findIndex((side, i) => i > 0 && (side === 'mixed' || side !== sides[0]));
  return operators[Math.max(second, 1) - 1] ?? 0;
}
