/** The tests of a condition that are of a row's person: what they did, and the cohorts that they are in. */
import type { CohortNode, ConditionNode, DidNode, Query, Span } from './syntax.ts';

export type PersonTest = DidNode | (CohortNode & Span);

/** From left to right; those in brackets, where there may be none, are left out. */
export function personTestsIn(node: ConditionNode): readonly PersonTest[] {
  if ('terms' in node) return node.terms.flatMap(personTestsIn);
  if (node.kind === 'not') return personTestsIn(node.term);
  return node.kind === 'did' || node.kind === 'cohort' ? [node] : [];
}

/** The names of the cohorts that a condition tests, each once. */
export function cohortsIn(node: ConditionNode): readonly string[] {
  return distinct(personTestsIn(node));
}

/** The names of the cohorts that a query names, in a `where` and as groups, each once. */
export function cohortsOf({ stages }: Query): readonly string[] {
  const nodes = stages.flatMap((stage): readonly { readonly kind: string }[] => {
    if (stage.kind === 'where') return personTestsIn(stage.condition);
    return (stage.kind === 'metrics' || stage.kind === 'by') && stage.by !== null ? stage.by.groups : [];
  });
  return distinct(nodes);
}

function distinct(nodes: readonly { readonly kind: string }[]): readonly string[] {
  return [...new Set(nodes.filter(isCohort).map(({ cohort }) => cohort.value))];
}

const isCohort = (node: { readonly kind: string }): node is CohortNode => node.kind === 'cohort';
