/** `attribution e | by f`: whose credit conversions are. */
import { basePlan, bindMetrics, DISTINCT_ID } from './bind-events.ts';
import { bindField, failAt, type BindingScope } from './binding.ts';
import { CREDIT } from '../plan/columns.ts';
import type { AttributionPlan, FieldGroup } from '../plan/plan.ts';
import type { Source } from '../parse/syntax.ts';
import type { Duration } from '../time/units.ts';

const RANGE: Duration = { count: 30, unit: 'd' };
const WINDOW: Duration = { count: 30, unit: 'd' };

export function bindAttribution(
  binding: BindingScope,
  source: Source & { readonly kind: 'attribution' },
): AttributionPlan {
  const { stages } = binding;
  return {
    kind: 'attribution',
    conversion: source.event.name,
    ...basePlan(binding, RANGE),
    groups: [bindTouched(binding, source)],
    model: stages.one('model')?.model ?? 'last',
    window: stages.one('window')?.duration ?? WINDOW,
    metrics: bindSum(binding),
  };
}

/** The one field whose values have the credit. */
function bindTouched(binding: BindingScope, source: Source): FieldGroup {
  const [touched, second] = binding.stages.groups?.groups ?? [];
  if (touched === undefined) {
    return failAt(binding, source, 'expected `by` and a field, too: its values have the credit', [
      '| by session.utm_source',
    ]);
  }
  if (touched.kind !== 'field') {
    return failAt(binding, touched, 'expected a field, whose values have the credit', [
      '`from … to …` asks for the conversions of one period',
    ]);
  }
  if (touched.bin !== undefined || touched.each) {
    failAt(binding, touched, 'expected only a field: an event with a value of it is one touch');
  }
  if (second !== undefined) failAt(binding, second, 'expected only one field: its values have the credit');
  return { kind: 'field', field: bindField(binding, touched.field, 'events'), column: touched.text };
}

/** What is divided besides the conversions themselves, if anything is. */
function bindSum(binding: BindingScope): AttributionPlan['metrics'] {
  const [node, second] = binding.stages.one('metrics')?.metrics ?? [];
  if (node === undefined) return [];
  if (second !== undefined) failAt(binding, second, 'expected only one metric: `sum` of one field');
  const [metric] = bindMetrics(binding, 'events', DISTINCT_ID, []);
  if (metric?.kind !== 'sum') {
    return failAt(
      binding,
      node,
      'expected `sum` and a field: conversions are always counted, and no other metric has parts',
    );
  }
  if (CREDIT.some(({ name }) => name === metric.column)) {
    const at = node.alias ?? node;
    failAt(binding, at, `expected a name that no other column has: \`${metric.column}\` is already there`);
  }
  return [metric];
}
