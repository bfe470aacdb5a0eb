/** The buffers of a partial: they change threads instead of being copied. */
import type { Partial } from './kernels/contract.ts';
import type { MetricPartial } from './metrics/metric-partial.ts';

type Arrays = Iterable<Uint8Array | Uint32Array | Float64Array | null>;

export interface Transfer {
  readonly buffers: ArrayBuffer[];
  /** Of buffers and texts together. */
  readonly bytes: number;
}

export function transferOf(partial: Partial): Transfer {
  const buffers: ArrayBuffer[] = [];
  let bytes = 0;
  for (const array of arraysOf(partial)) {
    if (array === null || array.byteLength === 0) continue;
    bytes += array.byteLength;
    if (array.buffer instanceof ArrayBuffer && array.byteLength === array.buffer.byteLength) buffers.push(array.buffer);
  }
  return { buffers, bytes: bytes + textLength(partial) };
}

function* arraysOf(partial: Partial): Arrays {
  if (partial.kind === 'latest') yield* [partial.entities.ends, partial.times, partial.arrivals];
  if (partial.kind !== 'groups') return;
  for (const { keys, metrics } of partial.groups) {
    for (const { ids, texts, book } of keys) yield* [ids, texts.ends, book?.codes ?? null];
    for (const metric of metrics) yield* metricArrays(metric);
  }
}

function* metricArrays(metric: MetricPartial): Arrays {
  switch (metric.kind) {
    case 'count':
      yield metric.counts;
      break;
    case 'sum':
      yield* [metric.sums, metric.errors, metric.counts];
      break;
    case 'extreme':
      yield metric.values;
      break;
    case 'numbers':
      yield* [metric.ends, metric.values];
      break;
    case 'unique':
      yield* [metric.counts, metric.closed, metric.ends, metric.ids, metric.texts?.ends ?? null];
      yield* metric.bits ?? [];
      break;
  }
}

function textLength(partial: Partial): number {
  if (partial.kind === 'latest') return partial.entities.text.length;
  if (partial.kind !== 'groups') return 0;
  let length = 0;
  for (const { keys, metrics } of partial.groups) {
    for (const { texts } of keys) length += texts.text.length;
    for (const metric of metrics) if (metric.kind === 'unique') length += metric.texts?.text.length ?? 0;
  }
  return length;
}
