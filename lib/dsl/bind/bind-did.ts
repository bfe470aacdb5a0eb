/** `did(event[condition])`: a test of how many such events a row's person has. */
import { failAt, type BindingScope } from './binding.ts';
import { fromRange } from './bind-range.ts';
import { personTestsIn } from '../parse/person-tests.ts';
import type { Condition, DidSpan, Field, Test } from '../plan/plan.ts';
import type { ConditionNode, DidNode } from '../parse/syntax.ts';
import { MAX_TESTS } from '../parse/parse-condition.ts';

/** Each is a set of all persons, and a pass over its events. */
const MAX_DIDS = 16;

/** @param bindFilter Binds the condition in brackets. */
export function bindDid(
  binding: BindingScope,
  node: DidNode,
  bindFilter: (node: ConditionNode) => Condition,
): Condition {
  const where = node.where === null ? null : bindFilter(node.where);
  const field: Field = { kind: 'did', event: node.event.name, where, span: bindSpan(binding, node.in) };
  const { op, count } = node.times ?? AT_LEAST_ONCE;
  const is = (test: Test): Condition => ({ kind: 'test', field, test });
  const literal = { type: 'number', value: count } as const;
  if (op === '=') return is({ op: 'equals', literal });
  if (op === '!=') return { kind: 'not', term: is({ op: 'equals', literal }) };
  return is({ op: 'compare', sign: op, literal });
}

const AT_LEAST_ONCE = { op: '>=', count: 1 } as const;

function bindSpan(binding: BindingScope, node: DidNode['in']): DidSpan {
  if (node === null) return { kind: 'asked' };
  switch (node.kind) {
    case 'from':
      return { kind: 'range', range: fromRange(binding, node.from, node.to) };
    case 'within':
      return { kind: 'within', duration: node.duration, of: node.of.name };
    case 'last':
      return { kind: 'last', duration: node.duration };
    case 'all':
      return { kind: 'all' };
  }
}

/** Throws QueryError at the first that is too many, or the first cohort whose conditions are. */
export function refuseManyDids(binding: Pick<BindingScope, 'query' | 'stages' | 'cohorts'>): void {
  const { stages, cohorts } = binding;
  const ofGroups = (stages.groups?.groups ?? []).filter((node) => node.kind === 'cohort');
  const sum = { dids: 0, tests: 0 };
  for (const node of [...stages.where.flatMap(personTestsIn), ...ofGroups]) {
    const { dids, tests } = node.kind === 'did' ? { dids: 1, tests: 0 } : cohorts.weight(node.cohort.value);
    sum.dids += dids;
    sum.tests += tests;
    const inAll = node.kind === 'did' ? '' : ', with those of its cohorts';
    if (sum.dids > MAX_DIDS)
      failAt(binding, node, `expected at most ${MAX_DIDS} conditions with \`did\` in a query${inAll}`);
    if (sum.tests > MAX_TESTS)
      failAt(binding, node, `expected at most ${MAX_TESTS.toLocaleString('en')} conditions in the cohorts of a query`);
  }
}
