/** `paths from e`, `paths to e`. */
import { basePlan } from './bind-base.ts';
import { bindField, failAt, type Binding } from './binding.ts';
import type { Field, Plan } from '../plan/plan.ts';
import type { EventRef } from '../parse/syntax.ts';

const EVENT_TYPE: Field = { kind: 'core', name: 'event_type' };
const ROWS = 20;
const DEPTH = 5;
/** A kernel keeps this many nodes per person. */
const MAX_DEPTH = 1_000;

export function bindPaths(binding: Binding, direction: 'from' | 'to', event: EventRef): Plan {
  const { stages } = binding;
  const base = basePlan(binding, { count: 7, unit: 'd' });
  const depth = stages.one('depth');
  if (depth !== null && depth.count > MAX_DEPTH) failAt(binding, depth, `expected a depth of at most ${MAX_DEPTH}`);
  return {
    kind: 'paths',
    ...base,
    limit: base.limit ?? ROWS,
    direction,
    event: event.name,
    window: stages.one('window')?.duration ?? { count: 1, unit: 'h' },
    depth: depth?.count ?? DEPTH,
    label: bindLabel(binding),
  };
}

/** At most one field; without it, nodes are named by their event. */
function bindLabel(binding: Binding): Field {
  const [label, second] = binding.stages.groups?.groups ?? [];
  if (label === undefined) return EVENT_TYPE;
  if (label.kind === 'bucket') {
    return failAt(binding, label, 'expected a field that labels the nodes', ['`paths` has no time buckets']);
  }
  if (second !== undefined) failAt(binding, second, 'expected only one field: it labels the nodes');
  return bindField(binding, label, 'events');
}
