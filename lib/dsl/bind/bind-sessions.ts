/** `sessions`: conditions on events choose what sessions are made of, conditions on `session.*` choose sessions. */
import { basePlanWhere, bindMetrics, DISTINCT_ID } from './bind-events.ts';
import { bindConditions } from './bind-condition.ts';
import { bindGroups } from './bind-groups.ts';
import { failAt, type BindingScope } from './binding.ts';
import type { Group, Plan } from '../plan/plan.ts';
import type { ConditionNode, ExpressionNode, FieldNode, FieldRef } from '../parse/syntax.ts';

export function bindSessions(binding: BindingScope): Plan {
  const { stages } = binding;
  bindConditions(binding, stages.where, 'events'); // report an unknown field before a mixture
  const nodes = stages.where.flatMap((node) => split(binding, node));
  const ofEvents = nodes.filter((node) => sideOf(node) === 'event');
  const ofSessions = nodes.filter((node) => sideOf(node) === 'session');
  const base = basePlanWhere(binding, { count: 7, unit: 'd' }, bindConditions(binding, ofEvents, 'events'));
  const whereRows = bindConditions(binding, ofSessions, 'events');
  const metrics = bindMetrics(binding, 'events', DISTINCT_ID, []);
  return { kind: 'sessions', ...base, whereRows, groups: bindSessionGroups(binding), metrics };
}

/** By day, if the query has neither metrics nor groups. */
function bindSessionGroups(binding: BindingScope): readonly Group[] {
  const { stages } = binding;
  if (stages.groups === null && stages.one('metrics') === null) return [{ kind: 'bucket', unit: 'day', column: 'day' }];
  return bindGroups(binding, stages.groups, 'events');
}

type Side = 'event' | 'session' | 'mixed';

function sideOf(node: ConditionNode): Side {
  if (node.kind === 'not') return sideOf(node.term);
  if (node.kind === 'did' || node.kind === 'cohort') return 'session'; // of whoever sent its first event
  return sideOfAll('terms' in node ? node.terms.map(sideOf) : namesIn(node.field).map(sideOfName));
}

/** Numbers alone are on no side, and may stand with events. */
function sideOfAll([first = 'event', ...others]: readonly Side[]): Side {
  return others.every((side) => side === first) ? first : 'mixed';
}

const sideOfName = (name: string): Side => (name.startsWith('session.') ? 'session' : 'event');

function namesIn({ name, arithmetic }: FieldRef): readonly string[] {
  return arithmetic === undefined ? [name] : operandsOf(arithmetic).map((field) => field.name);
}

function operandsOf(node: ExpressionNode<FieldNode>): readonly FieldNode[] {
  if (node.kind === 'number') return [];
  if (node.kind === 'negate') return operandsOf(node.term);
  return node.kind === 'binary' ? [...operandsOf(node.left), ...operandsOf(node.right)] : [node];
}

/** Splits a condition at `and` into parts of one side each. Throws QueryError for an `or` or `not` over both sides. */
function split(binding: BindingScope, node: ConditionNode): readonly ConditionNode[] {
  if (sideOf(node) !== 'mixed') return [node];
  if (node.kind === 'and') return node.terms.flatMap((term) => split(binding, term));
  const sentence = 'conditions on events and on `session.*` can only be joined with `and`';
  if ('field' in node) return failAt(binding, node.field, sentence, ['compute with fields of one of them']);
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
