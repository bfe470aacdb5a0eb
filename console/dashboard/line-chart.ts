/** Lines and areas over places. */
import { area, curveMonotoneX, line, stack } from 'd3-shape';
import type { CardOptions } from '../../lib/dashboards/dashboard.ts';
import type { ChartData, Series } from './chart-data.ts';
import type { Plot, Size } from './plot.ts';
import { addGoal, plotOf } from './plot.ts';
import { shape } from './svg.ts';

/** A point of a series: the middle of its place, and the lower and upper end of its area. */
interface Point {
  readonly x: number;
  readonly low: number;
  readonly high: number;
  readonly cut: boolean;
}

/** With more points than this, they are not marked. */
const MOST_MARKS = 24;

export function lineChart(data: ChartData, viz: 'line' | 'area', options: CardOptions, size: Size): Plot {
  const stacked = viz === 'area' && data.series.length > 1 && options.stacked;
  const bands = data.series.map((series, index) => bandOf(data.series, series, stacked ? index : -1));
  const ends = [...bands, ...data.series.map(({ before }) => before ?? [])].flat(2).filter((end) => end !== null);
  const plot = plotOf(data, { size, extent: [Math.min(0, ...ends), Math.max(0, ...ends)], goal: options.goal, ends: 'points' }); // prettier-ignore
  data.series.forEach(({ before }, index) => {
    if (before !== null) addBefore(plot, before, index);
  });
  bands.forEach((band, index) => {
    const points = band.map((ends, place): Point | null =>
      ends === null ? null : { x: plot.x(place), low: ends[0], high: ends[1], cut: data.places[place]?.cut === true },
    );
    if (viz === 'area') addArea(plot, points, index);
    addLine(plot, points, index);
  });
  addGoal(plot, data, options.goal);
  return plot;
}

type Band = readonly (readonly [number, number] | null)[];

/** From 0, or on top of the previous series. */
function bandOf(all: readonly Series[], { name, values }: Series, position: number): Band {
  if (position < 0) return values.map((value) => (value === null ? null : [0, value]));
  const layers = stack<number, string>()
    .keys(all.map((series) => series.name))
    .value((place, key) => all.find((series) => series.name === key)?.values[place] ?? 0)(values.map((_, place) => place));
  return (layers.find(({ key }) => key === name) ?? []).map(([low, high]) => [low, high]);
} // prettier-ignore

function addArea({ svg, y }: Plot, points: readonly (Point | null)[], index: number): void {
  const draw = area<Point | null>()
    .defined((point) => point !== null)
    .x((point) => point?.x ?? 0)
    .y0((point) => y(point?.low ?? 0))
    .y1((point) => y(point?.high ?? 0))
    .curve(curveMonotoneX);
  svg.append(shape('path', { class: `fill s${index}`, d: draw(points) ?? '' }));
}

/** The earlier range, below the present one: a thinner line, dashed all along. */
function addBefore({ svg, x, y }: Plot, values: readonly (number | null)[], index: number): void {
  const draw = line<number | null>()
    .defined((value) => value !== null)
    .x((_, place) => x(place))
    .y((value) => y(value ?? 0))
    .curve(curveMonotoneX);
  svg.append(shape('path', { class: `line before s${index}`, d: draw(values) ?? '' }));
}

/** The line, dashed at places that the range cuts. */
function addLine({ svg, y }: Plot, points: readonly (Point | null)[], index: number): void {
  const draw = line<Point | null>()
    .defined((point) => point !== null)
    .x((point) => point?.x ?? 0)
    .y((point) => y(point?.high ?? 0))
    .curve(curveMonotoneX);
  const whole = draw(points);
  const first = points[0]?.cut === true ? 1 : 0;
  const last = points.at(-1)?.cut === true && points.length > 1 ? points.length - 2 : points.length - 1;
  const part = (from: number, to: number): readonly (Point | null)[] => points.slice(from, to + 1);
  if (first > 0) svg.append(shape('path', { class: `line cut s${index}`, d: straight(part(0, 1), y) }));
  svg.append(shape('path', { class: `line s${index}`, d: (first > 0 || last < points.length - 1 ? draw(part(first, last)) : whole) ?? '' })); // prettier-ignore
  if (last < points.length - 1) svg.append(shape('path', { class: `line cut s${index}`, d: straight(part(last, last + 1), y) })); // prettier-ignore
  points.forEach((point, place) => {
    if (point === null) return;
    const alone = !points[place - 1] && !points[place + 1];
    if (!alone && points.length > MOST_MARKS && !(point.cut && place > 0)) return;
    svg.append(
      shape('circle', { class: `dot s${index}${point.cut ? ' cut' : ''}`, cx: point.x, cy: y(point.high), r: 3 }),
    );
  });
}

function straight(points: readonly (Point | null)[], y: Plot['y']): string {
  const [from, to] = points;
  return !from || !to ? '' : `M${from.x},${y(from.high)}L${to.x},${y(to.high)}`;
}
