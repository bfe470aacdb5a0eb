/** The groups of `by`, checked against what the source can group by. */
import { bindCohortField } from './bind-condition.ts';
import { bindField, failAt, type BindingScope } from './binding.ts';
import type { FieldScope } from '../plan/fields.ts';
import { PARTS } from '../time/calendar-parts.ts';
import { BUCKETS } from '../parse/keywords.ts';
import type { Group, GroupOfPerson } from '../plan/plan.ts';
import { unitFrom, type CohortUnit, type TimeUnit } from '../time/units.ts';
import type { ByNode, GroupNode } from '../parse/syntax.ts';

export type BucketGroup = Group & { readonly kind: 'bucket' };

/** All groups, named as typed. Throws QueryError at one whose name was already used. */
export function bindGroups(binding: BindingScope, by: ByNode | null, scope: FieldScope): readonly Group[] {
  const names = new Set<string>();
  return (by?.groups ?? []).map((node): Group => {
    if (names.has(node.text)) failAt(binding, node, `expected each group once: \`${node.text}\` is already there`);
    names.add(node.text);
    return bindGroup(binding, node, scope);
  });
}

function bindGroup(binding: BindingScope, node: GroupNode, scope: FieldScope): Group {
  const column = node.text;
  switch (node.kind) {
    case 'bucket':
      return { kind: 'bucket', unit: unitFrom(node.unit, binding.weeks), column };
    case 'part':
      return { kind: 'part', part: node.part, column };
    case 'cohort':
      return { kind: 'field', field: bindCohortField(binding, node, ofPersons(binding, node, scope)), column };
    case 'field': {
      const { bin, each } = node;
      const field = bindField(binding, node.field, scope, each ? [] : [...BUCKETS, ...PARTS, 'each']);
      return { kind: 'field', field, column, ...(bin === undefined ? {} : { bin }), ...(each ? { each } : {}) };
    }
  }
}

/** Throws QueryError after `latest`, whose rows are of no person. */
function ofPersons(binding: BindingScope, node: GroupNode, scope: FieldScope): FieldScope {
  if (scope !== 'latest') return scope;
  return failAt(binding, node, 'expected another group: `cohort` divides rows by their person, and those of `latest` are of an entity', [
    'put the cohort into a `where` before `latest`',
  ]); // prettier-ignore
}

/** The groups of what each person has one of. Throws QueryError at one that a person may be in several of. */
export function bindSingleGroups(
  binding: BindingScope,
  by: ByNode | null,
  scope: FieldScope = 'events',
): readonly Group[] {
  for (const node of by?.groups ?? []) {
    if (node.kind === 'field' && node.each) {
      failAt(binding, node, 'expected a field: `each` divides rows, and each person has one value here');
    }
  }
  return bindGroups(binding, by, scope);
}

/** At most one of day, week and month, and any fields. */
export function bindCohortGroups(
  binding: BindingScope,
  by: ByNode | null,
): { readonly unit: CohortUnit; readonly column: string; readonly fields: readonly GroupOfPerson[] } {
  for (const node of by?.groups ?? []) {
    if (node.kind === 'bucket' && cohortUnit(node.unit) === null) {
      failAt(binding, node, 'expected one of day, week, month');
    }
  }
  const { bucket, fields } = splitGroups(binding, by);
  const unit = bucket === null ? null : cohortUnit(bucket.unit);
  return { unit: unit ?? unitFrom('week', binding.weeks), column: bucket?.column ?? 'week', fields };
}

/** Throws QueryError at a second bucket. */
function splitGroups(
  binding: BindingScope,
  by: ByNode | null,
): { bucket: BucketGroup | null; fields: GroupOfPerson[] } {
  const groups = bindSingleGroups(binding, by);
  const nodes = by?.groups ?? [];
  const second = nodes.filter((node) => node.kind === 'bucket')[1];
  if (second !== undefined) failAt(binding, second, `expected only one bucket, found \`${second.text}\` too`);
  return {
    bucket: groups.find((group): group is BucketGroup => group.kind === 'bucket') ?? null,
    fields: groups.filter((group): group is GroupOfPerson => group.kind !== 'bucket'),
  };
}

function cohortUnit(unit: TimeUnit): CohortUnit | null {
  return unit === 'day' || unit === 'week' || unit === 'sunday_week' || unit === 'month' ? unit : null;
}
