/** Metrics with the names of their columns. */
import { bindField, failAt, type Binding } from './binding.ts';
import { fieldName, fieldKey, type FieldScope } from '../plan/fields.ts';
import { METRIC_TRAITS } from '../plan/metrics.ts';
import type { Field, Metric } from '../plan/plan.ts';
import type { MetricNode } from '../parse/syntax.ts';

/**
 * The metrics of a stage. The first of a name is called just that, later ones get their field in brackets; the same metric of
 * the same field twice is an error. @param person What `unique` without a field counts.
 */
export function bindMetrics(
  binding: Binding,
  nodes: readonly MetricNode[],
  scope: FieldScope,
  person: Field,
): readonly Metric[] {
  const seen: { word: string; field: Field | null }[] = [];
  return nodes.map((node) => {
    const field = metricField(binding, node, scope, person);
    const named = seen.filter((other) => other.word === node.word);
    if (named.some((other) => field === null || (other.field !== null && fieldKey(other.field) === fieldKey(field)))) {
      failAt(binding, node, `expected each metric once: \`${node.word}\` of this field is already there`);
    }
    seen.push({ word: node.word, field });
    const column = named.length === 0 ? node.word : `${node.word}(${node.field?.text ?? fieldName(person)})`;
    return makeMetric(node, field, column);
  });
}

export const COUNT: Metric = { kind: 'count', column: 'count' };

/** The field of a metric; the person if it may go without and does; null if it takes none. */
export function metricField(binding: Binding, node: MetricNode, scope: FieldScope, person: Field): Field | null {
  if (node.field !== null) return bindField(binding, node.field, scope);
  return METRIC_TRAITS[node.name].field === 'optional' ? person : null;
}

/** A bound metric; a median is bound as percentile 50. */
export function makeMetric({ name, p }: MetricNode, field: Field | null, column: string): Metric {
  if (field === null || name === 'count') return { kind: 'count', column };
  if (name === 'median' || name === 'percentile') return { kind: 'percentile', p: p ?? 50, field, column };
  return { kind: name, field, column };
}
