/** The values of a metric of smaller groups as what one part found of the larger ones that they are of. */
import type { PerMetric } from '../../dsl/plan/plan.ts';
import type { MetricPartial } from './metric-partial.ts';
import { STATE_OF } from './metric-state.ts';

/** Each number, and the group that it is of. */
export interface Placed {
  readonly values: Float64Array;
  readonly places: Uint32Array;
}

/** Those of the smaller groups that count, and whose value is a number. */
export function placed(values: Float64Array, places: Uint32Array, counts: (group: number) => boolean): Placed {
  const kept = { values: new Float64Array(values.length), places: new Uint32Array(values.length) };
  let length = 0;
  for (let group = 0; group < values.length; group++) {
    if (Number.isNaN(values[group]!) || !counts(group)) continue;
    kept.values[length] = values[group]!;
    kept.places[length++] = places[group]!;
  }
  return { values: kept.values.subarray(0, length), places: kept.places.subarray(0, length) };
}

/** A partial in which each number is a group, whose merged group is its place; numbers for percentiles are laid out by place. */
export function perPartial(aggregate: PerMetric['aggregate'], { values, places }: Placed, groups: number): PerPartial {
  const kind = STATE_OF[aggregate];
  const zeroes = new Float64Array(values.length);
  const ones = new Float64Array(values.length).fill(1);
  switch (kind) {
    case 'sum':
      return { partial: { kind, sums: values, errors: zeroes, counts: ones }, places };
    case 'moments':
      return { partial: { kind, counts: ones, means: values, squares: zeroes }, places };
    case 'min':
    case 'max':
      return { partial: { kind, values }, places };
    case 'numbers':
      return layOut({ values, places }, groups);
  }
}

export interface PerPartial {
  readonly partial: MetricPartial;
  readonly places: Uint32Array;
}

/** A counting sort. */
function layOut({ values, places }: Placed, groups: number): PerPartial {
  const ends = new Float64Array(groups);
  for (const place of places) ends[place]!++;
  for (let group = 1; group < groups; group++) ends[group]! += ends[group - 1]!;
  const next = ends.slice();
  const sorted = new Float64Array(values.length);
  for (let at = 0; at < values.length; at++) sorted[--next[places[at]!]!] = values[at]!;
  return { partial: { kind: 'numbers', ends, values: sorted }, places: Uint32Array.from(ends, (_, group) => group) };
}
