/** Shares of a whole as a ring: the largest first, those too small to see combined. */
import type { PieArcDatum } from 'd3-shape';
import { arc, pie } from 'd3-shape';
import type { ChartData } from './chart-data.ts';
import { MOST_SERIES } from './chart-data.ts';
import type { Size } from './plot.ts';
import { picture, shape } from './svg.ts';
import { numberText } from './values.ts';

export interface Slice {
  readonly name: string;
  /** Of its place; null: it is of several places. */
  readonly key: string | null;
  readonly value: number;
  /** Of the whole, 0 to 1. */
  readonly share: number;
  /** Number of its colour. */
  readonly color: number;
}

/** One slice per place if there is one series, else per series. */
export function slicesOf(data: ChartData): readonly Slice[] {
  const [only] = data.series;
  const named =
    data.series.length === 1 && only !== undefined
      ? data.places.map(({ key, long }, index) => ({ name: long, key, value: only.values[index] ?? 0 }))
      : data.series.map(({ name, values }) => ({ name, key: null, value: values.reduce<number>((sum, value) => sum + (value ?? 0), 0) }));
  const sorted = named.filter(({ value }) => value > 0).sort((a, b) => b.value - a.value);
  const kept = sorted.length > MOST_SERIES ? sorted.slice(0, MOST_SERIES - 1) : sorted;
  const rest = sorted.slice(kept.length);
  const sum = (some: readonly { readonly value: number }[]): number => some.reduce((total, { value }) => total + value, 0);
  const all = rest.length > 0 ? [...kept, { name: `${rest.length} others`, key: null, value: sum(rest) }] : kept;
  return all.map(({ name, key, value }, color) => ({ name, key, value, share: value / sum(sorted), color }));
} // prettier-ignore

export function pieChart(slices: readonly Slice[], data: ChartData, size: Size): SVGSVGElement {
  const svg = picture(size.width, size.height);
  const radius = Math.max(20, Math.min(size.width, size.height) / 2 - 4);
  const ring = arc<PieArcDatum<Slice>>()
    .innerRadius(radius * 0.62)
    .outerRadius(radius)
    .padAngle(0.012)
    .cornerRadius(2);
  const middle = shape('g', { transform: `translate(${size.width / 2},${size.height / 2})` });
  const arcs = pie<Slice>().sort(null).value(({ value }) => value)([...slices]); // prettier-ignore
  for (const one of arcs) middle.append(shape('path', { class: `slice s${one.data.color}`, d: ring(one) ?? '' }));
  const total = slices.reduce((sum, { value }) => sum + value, 0);
  if (radius >= 50 && /^(?:count|sum)\b/.test(data.series[0]?.name ?? '')) {
    // other numbers do not add up: one person may be in two slices
    middle.append(
      shape('text', { class: 'total', y: 2, 'text-anchor': 'middle' }, numberText(total, data.format, 'short')),
      shape('text', { class: 'tick', y: 20, 'text-anchor': 'middle' }, 'total'),
    );
  }
  svg.append(middle);
  return svg;
}
