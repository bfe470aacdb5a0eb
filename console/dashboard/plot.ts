/** The base of a chart with axes: a scale for numbers with its lines, the names along the bottom, and the goal. */
import type { ScaleLinear } from 'd3-scale';
import { scaleLinear } from 'd3-scale';
import type { CardOptions } from '../../lib/dashboards/dashboard.ts';
import type { ChartData } from './chart-data.ts';
import { fitted, picture, shape, textWidth } from './svg.ts';
import { numberText } from './values.ts';

/** Size of the whole picture in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Plot {
  readonly svg: SVGSVGElement;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly y: ScaleLinear<number, number>;
  /** The middle of a place. */
  readonly x: (index: number) => number;
  /** Pixels between two places, the nearest ones of numbers to scale. */
  readonly step: number;
}

const TOP = 12;
const BOTTOM = 26;
const RIGHT = 10;
const TICK_GAP_PX = 56;
const LABEL_GAP_PX = 18;
/** A line of texts above the plot. */
const MARKS_PX = 16;
const MARK_GAP_PX = 8;
/** Names of groups are shortened, down to some letters, before any is left out. */
const NAME_GAP_PX = 8;
const LEAST_NAME_PX = 34;

interface PlotOptions {
  readonly size: Size;
  /** The lowest and the highest number drawn. */
  readonly extent: readonly [number, number];
  readonly goal: CardOptions['goal'];
  /** Lines start at the first place; bars need half a place at each end. */
  readonly ends: 'points' | 'bands';
}

/** A plot with its axes drawn. */
export function plotOf(data: ChartData, { size, extent, goal, ends }: PlotOptions): Plot {
  const svg = picture(size.width, size.height);
  const bottom = size.height - BOTTOM;
  const top = TOP + (data.marks.size > 0 ? MARKS_PX : 0);
  const low = Math.min(0, extent[0], goal?.value ?? 0);
  const high = Math.max(0, extent[1], goal?.value ?? 0);
  const count = Math.max(2, Math.round((bottom - top) / TICK_GAP_PX));
  const y = scaleLinear([low, high === low ? low + 1 : high], [bottom, top]).nice(count);
  const ticks = y.ticks(count).filter((tick) => data.format.kind !== 'integer' || Number.isInteger(tick));
  const texts = ticks.map((tick) => numberText(tick, data.format, 'short'));
  const left = Math.ceil(Math.max(...texts.map(textWidth))) + 10;
  const right = size.width - RIGHT;
  const places = data.places.length;
  const last = data.places.at(-1)?.at ?? 0;
  const step = ends === 'bands' ? (right - left) / (last + 1) : (right - left) / Math.max(1, last);
  const first = ends === 'bands' ? left + step / 2 : places === 1 ? (left + right) / 2 : left;
  const plot: Plot = {
    svg,
    left,
    right,
    top,
    bottom,
    y,
    step,
    x: (index) => first + (data.places[index]?.at ?? 0) * step,
  };
  ticks.forEach((tick, index) => {
    svg.append(
      shape('line', { class: tick === 0 ? 'axis' : 'grid', x1: left, x2: right, y1: y(tick), y2: y(tick) }),
      shape('text', { class: 'tick', x: left - 8, y: y(tick) + 4, 'text-anchor': 'end' }, texts[index]),
    );
  });
  addNames(plot, data, size);
  addMarks(plot, data);
  return plot;
}

/** A line at each place where something happened, and its text above, on the side with more room, shortened to it. */
function addMarks({ svg, left, right, top, bottom, x }: Plot, { marks }: ChartData): void {
  let free = left;
  const places = [...marks.keys()];
  places.forEach((place, index) => {
    const [at, next] = [x(place), places[index + 1]];
    const rooms = { start: (next === undefined ? right : x(next)) - at - MARK_GAP_PX, end: at - free - MARK_GAP_PX };
    const long = marks.get(place) ?? '';
    const anchor = rooms.start >= Math.min(textWidth(long), rooms.end) ? 'start' : 'end';
    const text = fitted(long, rooms[anchor]);
    free = anchor === 'start' ? at + textWidth(text) + MARK_GAP_PX : at;
    const name = shape('text', { class: 'mark-name', x: at, y: TOP, 'text-anchor': anchor }, text);
    if (text !== long) name.append(shape('title', {}, long));
    svg.append(shape('line', { class: 'mark', x1: at, x2: at, y1: top - MARK_GAP_PX, y2: bottom }), name);
  });
}

/** Draws the goal as a line across the plot, over the values. */
export function addGoal({ svg, left, right, top, y }: Plot, data: ChartData, goal: CardOptions['goal']): void {
  if (goal === null) return;
  const at = y(goal.value);
  const text = `${goal.label ?? 'Goal'} ${numberText(goal.value, data.format, 'short')}`;
  svg.append(
    shape('line', { class: 'goal', x1: left, x2: right, y1: at, y2: at }),
    shape('text', { class: 'goal-name', x: right, y: at - 5 < top ? at + 14 : at - 5, 'text-anchor': 'end' }, text),
  );
}

/** Names of places, as many as fit without touching; times are counted from the right, so that the newest has its name. */
function addNames({ svg, bottom, x, step, left }: Plot, { places, unit }: ChartData, size: Size): void {
  const widest = Math.max(...places.map(({ short }) => textWidth(short)), 1);
  const gap = unit === null ? NAME_GAP_PX : LABEL_GAP_PX;
  const room = unit === null ? Math.min(widest, Math.max(step - gap, LEAST_NAME_PX)) : widest;
  const every = Math.max(1, Math.ceil((room + gap) / step - 0.01));
  const rest = unit === null ? 0 : (places.length - 1) % every;
  const isScale = places.some(({ at }, index) => at !== index);
  let free = -Infinity; // to the right of the last number to scale
  places.forEach(({ short, long }, index) => {
    if (isScale ? x(index) - textWidth(short) / 2 < free : index % every !== rest) return;
    free = x(index) + textWidth(short) / 2 + NAME_GAP_PX;
    const text = unit === null && !isScale ? fitted(short, Math.max(room, step * every - 8)) : short;
    const half = textWidth(text) / 2;
    const at = Math.max(left - 30 + half, Math.min(x(index), size.width - half - 1));
    const name = shape('text', { class: 'tick', x: at, y: bottom + 18, 'text-anchor': 'middle' }, text);
    if (text !== long) name.append(shape('title', {}, long));
    svg.append(name);
  });
}
