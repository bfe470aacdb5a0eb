/** The groups of `by`, checked against what the source can group by. */
import { bindField, failAt, type Binding } from './binding.ts';
import type { FieldScope } from '../plan/fields.ts';
import { BUCKETS } from '../parse/keywords.ts';
import type { Group } from '../plan/plan.ts';
import type { TimeUnit } from '../time/units.ts';
import type { ByNode } from '../parse/syntax.ts';

export type BucketGroup = Group & { readonly kind: 'bucket' };
export type FieldGroup = Group & { readonly kind: 'field' };

/** Buckets that cohorts and lifecycles can have. */
export type CohortUnit = 'day' | 'week' | 'month';

/** All groups, named as typed. Throws QueryError at one whose name was already used. */
export function bindGroups(binding: Binding, by: ByNode | null, scope: FieldScope): readonly Group[] {
  const names = new Set<string>();
  return (by?.groups ?? []).map((node): Group => {
    if (names.has(node.text)) failAt(binding, node, `expected each group once: \`${node.text}\` is already there`);
    names.add(node.text);
    return node.kind === 'bucket'
      ? { kind: 'bucket', unit: node.unit, column: node.text }
      : { kind: 'field', field: bindField(binding, node, scope, BUCKETS), column: node.text };
  });
}

/** At most one bucket, and nothing else. */
export function bindOneBucket(binding: Binding, by: ByNode | null): BucketGroup | null {
  const { bucket } = splitGroups(binding, by);
  const field = by?.groups.find((node) => node.kind === 'field');
  if (field !== undefined) failAt(binding, field, 'expected one of hour, day, week, month, quarter, year');
  return bucket;
}

/** At most one of day, week and month, and any fields. */
export function bindCohortGroups(
  binding: Binding,
  by: ByNode | null,
): { readonly unit: CohortUnit; readonly column: string; readonly fields: readonly FieldGroup[] } {
  for (const node of by?.groups ?? []) {
    if (node.kind === 'bucket' && cohortUnit(node.unit) === null) {
      failAt(binding, node, 'expected one of day, week, month');
    }
  }
  const { bucket, fields } = splitGroups(binding, by);
  const unit = bucket === null ? 'week' : (cohortUnit(bucket.unit) ?? 'week');
  return { unit, column: bucket?.column ?? unit, fields };
}

/** Throws QueryError at a second bucket. */
function splitGroups(binding: Binding, by: ByNode | null): { bucket: BucketGroup | null; fields: FieldGroup[] } {
  const groups = bindGroups(binding, by, 'events');
  const nodes = by?.groups ?? [];
  const second = nodes.filter((node) => node.kind === 'bucket')[1];
  if (second !== undefined) failAt(binding, second, `expected only one bucket, found \`${second.text}\` too`);
  return {
    bucket: groups.find((group): group is BucketGroup => group.kind === 'bucket') ?? null,
    fields: groups.filter((group): group is FieldGroup => group.kind === 'field'),
  };
}

function cohortUnit(unit: TimeUnit): CohortUnit | null {
  return unit === 'day' || unit === 'week' || unit === 'month' ? unit : null;
}
