/** The buffers of a partial, transferred between threads instead of copied. */
import { isInMemory } from '../../primitives/memory.ts';
import type { GroupsPartial } from '../metrics/groups-partial.ts';
import type { FunnelPartial, PartialResult, RetentionPartial } from '../kernels/partial-result.ts';
import { meanTheSame } from '../metrics/unique/merge-unique.ts';
import type { MetricPartial } from '../metrics/metric-partial.ts';
import type { PersonEvents } from '../persons/event-list.ts';

/** Whether merging the partials may need dictionaries: some of their texts are left as codes. */
export function askForTexts(partials: readonly PartialResult[]): boolean {
  const groups = partials.flatMap(groupsOf);
  if (groups.some(({ keys }) => keys.some(({ texts }) => texts === null))) return true;
  const sets = groups.flatMap(({ metrics }) => metrics.filter((metric) => metric.kind === 'unique'));
  return sets.some(({ dictionary }) => dictionary !== null) && !meanTheSame(sets);
}

type Arrays = Iterable<Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array | null>;

export interface Transfer {
  readonly buffers: ArrayBuffer[];
  /** Of buffers and texts together. */
  readonly bytes: number;
}

export function transferOf(partial: PartialResult): Transfer {
  const buffers: ArrayBuffer[] = [];
  let bytes = 0;
  for (const array of arraysOf(partial)) {
    if (array === null || array.byteLength === 0) continue;
    if (isInMemory(array)) throw new Error('a partial owns its arrays');
    bytes += array.byteLength;
    if (array.buffer instanceof ArrayBuffer && array.byteLength === array.buffer.byteLength) buffers.push(array.buffer);
  }
  return { buffers, bytes: bytes + textLength(partial) };
}

function* arraysOf(partial: PartialResult): Arrays {
  if (partial.kind === 'latest') yield* [partial.entities.ends, partial.times, partial.arrivals];
  if (partial.kind === 'masks') yield* partial.words;
  if (partial.kind === 'funnel')
    for (const events of stepsOf(partial))
      yield* [events.persons, events.times, events.arrivals, events.labels, events.ends];
  if (partial.kind === 'retention') yield* retentionArrays(partial);
  for (const { keys, metrics } of groupsOf(partial)) {
    for (const { ids, texts, dictionary } of keys) yield* [ids, texts?.ends ?? null, dictionary?.codes ?? null];
    for (const metric of metrics) yield* metricArrays(metric);
  }
}

function stepsOf({ steps, excluded }: FunnelPartial): readonly PersonEvents[] {
  return excluded === null ? steps : [...steps, excluded];
}

function retentionArrays({ cohorts, seen, places }: RetentionPartial): Arrays {
  return places === null ? [cohorts, ...seen] : [cohorts, ...seen, places.times, places.arrivals, places.labels];
}

function groupsOf(partial: PartialResult): readonly GroupsPartial[] {
  if (partial.kind === 'groups') return partial.groups;
  const labels = partial.kind === 'funnel' || partial.kind === 'retention' ? partial.labels : null;
  return labels === null ? [] : [labels];
}

/** What a metric's partial has besides its kind. */
type MetricPart = NonNullable<Exclude<ValueOf<MetricPartial>, string>>;
type ValueOf<Part> = Part extends unknown ? Part[keyof Part] : never;

function* metricArrays(metric: MetricPartial): Arrays {
  const parts: readonly (MetricPart | string | null)[] = Object.values(metric);
  for (const part of parts) {
    if (part === null || typeof part === 'string') continue;
    if ('byteLength' in part) yield part;
    else if ('text' in part) yield part.ends;
    else if ('limbs' in part) yield* [part.groups, part.limbs];
    else yield* part;
  }
}

function textLength(partial: PartialResult): number {
  if (partial.kind === 'latest') return partial.entities.text.length;
  let length = 0;
  for (const { keys, metrics } of groupsOf(partial)) {
    for (const { texts } of keys) length += texts?.text.length ?? 0;
    for (const metric of metrics) if ('texts' in metric) length += metric.texts?.text.length ?? 0;
  }
  return length;
}
