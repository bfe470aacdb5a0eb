/** A chart with its legend and tooltip, redrawn when its size changes. */
import type { Annotation, Card } from '../../lib/dashboards/dashboard.ts';
import type { Envelope } from '../../lib/dashboards/data.ts';
import { made } from '../element.ts';
import { barChart, withDormantBelow } from './bar-chart.ts';
import { linked, type AddressOf } from './card-link.ts';
import type { Answers, ChartData, Series } from './chart-data.ts';
import { chartData } from './chart-data.ts';
import { lineChart } from './line-chart.ts';
import { pathChart, streamsOf } from './path-chart.ts';
import type { Slice } from './pie-chart.ts';
import { pieChart, slicesOf } from './pie-chart.ts';
import type { Plot, Size } from './plot.ts';
import { REDRAW } from './printing.ts';
import { retentionCurves } from './retention-view.ts';
import { scrolled } from './scrolled.ts';
import { shape } from './svg.ts';
import { Tooltip, type TooltipLine } from './tooltip.ts';
import { numberText } from './values.ts';

type AxisViz = 'line' | 'area' | 'bar' | 'lifecycle' | 'histogram';

const LEAST: Size = { width: 160, height: 72 };

/** Where a place of a chart leads, or the bar of a series there; null: nowhere. */
export type PlaceAddress = (key: string, series: number | null) => string | null;

/** Lines, areas and bars. */
export function axisView(card: Card, viz: AxisViz, data: ChartData, addressOf: PlaceAddress): HTMLElement {
  const signed = viz === 'lifecycle' ? withDormantBelow(data) : data;
  const view = made('div', '', { class: `chart-view viz-${viz}` });
  // Not an image itself: a screen reader keeps arrow keys from one, and reads no values inside it.
  const ground = made('div', '', {
    class: 'ground',
    role: 'application',
    'aria-roledescription': 'chart',
    'aria-label': `${card.title ?? card.id}: arrow keys go from value to value.`,
    tabindex: '0',
  });
  const told = `${card.title ?? card.id}: ${summary(data)}`;
  const shown = new Set([...signed.series.keys(), BEFORE]);
  let plot: Plot | null = null;
  const draw = (size: Size): SVGSVGElement => {
    const visible = { ...signed, series: signed.series.map((series, index) => shownOf(series, shown.has(index), shown.has(BEFORE))) }; // prettier-ignore
    plot = viz === 'line' || viz === 'area' ? lineChart(visible, viz, card.options, size) : barChart(visible, viz, card.options, size); // prettier-ignore
    plot.svg.removeAttribute('aria-hidden');
    plot.svg.setAttribute('role', 'img');
    plot.svg.setAttribute('aria-label', told);
    return plot.svg;
  };
  const redraw = responsive(ground, draw);
  follow(ground, data, { plot: () => plot, shown, addressOf });
  view.append(ground);
  if (data.series.length > 1 || data.earlier !== null) view.append(legend(data, shown, redraw));
  if (data.left !== null) view.append(made('p', data.left, { class: 'more' }));
  return view;
}

export function pieView(card: Card, data: ChartData, addressOf: PlaceAddress): HTMLElement {
  const slices = slicesOf(data);
  const view = made('div', '', { class: 'chart-view viz-pie' });
  const told = slices.map(({ name, share }) => `${name} ${percent(share)}`).join(', ');
  const ground = groundOf(`${card.title ?? card.id}: ${told}.`);
  const tooltip = new Tooltip(ground);
  const addressOfSlice = ({ key }: Slice): string | null => (key === null ? null : addressOf(key, null));
  responsive(ground, (size) => {
    const svg = pieChart(slices, data, size);
    [...svg.querySelectorAll('.slice')].forEach((slice, index) => {
      const one = slices[index];
      if (one === undefined) return;
      tooltip.tell(slice, sliceText(one, data));
      const address = addressOfSlice(one);
      if (address === null) return;
      slice.classList.add('visits');
      slice.addEventListener('click', (event) => {
        if (!isTap(event)) location.assign(address); // a tap shows the value, and the name beside it leads on
      });
    });
    return svg;
  });
  const list = made('ul', '', { class: 'legend' });
  list.append(
    ...slices.map((slice) => {
      const { name, value, share, color } = slice;
      const item = made('li');
      const named = made('span');
      named.append(linked(name, addressOfSlice(slice), 'Show what is behind this slice'));
      item.append(made('i', '', { class: `key s${color}`, 'aria-hidden': 'true' }), named, ' ', made('strong', percent(share)), ' ', made('small', numberText(value, data.format, 'short'))); // prettier-ignore
      return item;
    }),
  );
  const shares = scrolled(`${card.title ?? card.id}: shares`, 'shares');
  shares.append(list);
  view.append(ground, shares);
  return view;
}

/** @param addressOf Where an event leads: to the people whose paths go through it, or end there. */
export function pathView(card: Card, answer: Envelope, addressOf: AddressOf): HTMLElement {
  const streams = streamsOf(answer);
  const view = scrolled(`${card.title ?? card.id}: the picture`, 'chart-view viz-path'); // names need room: it scrolls on phones
  const [most] = [...streams.streams].sort((a, b) => b.value - a.value);
  const told = most === undefined ? '' : ` Most go from ${most.from} to ${most.to}.`;
  const ground = made('div', '', { class: 'ground' });
  const tooltip = new Tooltip(ground);
  responsive(ground, (size) => {
    const svg = pathChart(streams, size, { tell: tooltip.tell, addressOf });
    svg.setAttribute('role', 'group'); // its events are links
    svg.setAttribute('aria-label', `${card.title ?? card.id}: paths in ${streams.steps.length} steps.${told}`);
    return svg;
  });
  view.append(ground);
  return view;
}

/** null: there is nothing to draw. */
export function drawable(answers: Answers, card: Card, annotations: readonly Annotation[]): ChartData | null {
  if (card.kind !== 'retention') return chartData(answers, card.viz, card.options, annotations);
  const curves = Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, retentionCurves(answer)]));
  const data = chartData(curves, card.viz, { ...card.options, x: null, y: null, series: 'cohort' });
  return data === null
    ? null
    : { ...data, along: data.places.length > 0 ? `${data.along}s since the start` : data.along };
}

function groundOf(label: string): HTMLElement {
  return made('div', '', { class: 'ground', role: 'img', 'aria-label': label });
}

/** Draws once the place has a size, and whenever that changes. Returns a function that redraws. */
function responsive(place: HTMLElement, draw: (size: Size) => SVGSVGElement): () => void {
  const redraw = (): void => {
    const { clientWidth: width, clientHeight: height } = place;
    if (width === 0) return;
    const svg = draw({ width: Math.max(LEAST.width, width), height: Math.max(LEAST.height, height) });
    place.querySelector('svg')?.remove();
    place.prepend(svg);
  };
  new ResizeObserver(redraw).observe(place);
  place.addEventListener(REDRAW, redraw);
  return redraw;
}

interface Followed {
  readonly addressOf: PlaceAddress;
  readonly plot: () => Plot | null;
  readonly shown: ReadonlySet<number>;
}

/** Makes the tooltip follow the pointer or the arrow keys. */
function follow(ground: HTMLElement, data: ChartData, { plot, shown, addressOf }: Followed): void {
  let at = -1;
  const leave = (): void => {
    at = -1;
    tooltip.hide();
    plot()?.svg.querySelector('.cross')?.remove();
  };
  const tooltip = new Tooltip(ground, leave);
  const go = (index: number, y: number): void => {
    const drawn = plot();
    const place = data.places[index];
    if (drawn === null || place === undefined) return;
    at = index;
    drawn.svg.querySelector('.cross')?.remove();
    const x = drawn.x(index);
    drawn.svg.prepend(shape('line', { class: 'cross', x1: x, x2: x, y1: drawn.top, y2: drawn.bottom }));
    const lines = data.series.flatMap((series, color) => (shown.has(color) ? linesAt(series, { color, index, data, before: shown.has(BEFORE) }) : [])); // prettier-ignore
    const mark = data.marks.get(index);
    if (mark !== undefined) lines.unshift({ color: null, name: mark, value: '' });
    tooltip.show(place.cut ? `${place.long} (incomplete)` : place.long, lines, { x, y });
  };
  const point = (event: PointerEvent): void => {
    const drawn = plot();
    if (drawn === null || data.places.length === 0) return;
    const { left, top } = ground.getBoundingClientRect();
    const distances = data.places.map((_, index) => Math.abs(event.clientX - left - drawn.x(index)));
    go(distances.indexOf(Math.min(...distances)), event.clientY - top);
  };
  const visit = (series: number | null): void => {
    const key = data.places[at]?.key ?? '';
    const address = addressOf(key, series);
    if (address !== null) location.assign(address);
  };
  let shows = false; // a first tap shows the values, another one at the same place leads on
  ground.addEventListener('pointerdown', (event) => {
    const before = at;
    point(event);
    shows = event.pointerType === 'touch' && at !== before;
  });
  ground.addEventListener('pointermove', point);
  ground.addEventListener('click', ({ target }) => {
    if (!shows) visit(seriesOf(target));
    shows = false;
  });
  ground.classList.toggle('visits', data.places.some(({ key }) => addressOf(key, null) !== null || data.series.some((_, index) => addressOf(key, index) !== null))); // prettier-ignore
  ground.addEventListener('pointerleave', ({ pointerType }) => {
    if (pointerType !== 'touch') leave(); // a finger leaves when it is lifted: what it showed is still to be read
  });
  ground.addEventListener('blur', leave);
  ground.addEventListener('keydown', (event) => {
    const last = data.places.length - 1;
    const next = { ArrowLeft: at < 0 ? last : at - 1, ArrowRight: at < 0 ? 0 : at + 1, Home: 0, End: last }[event.key];
    if (event.key === 'Escape') leave();
    if (event.key === 'Enter') visit(null);
    if (next === undefined) return;
    event.preventDefault();
    go(Math.max(0, Math.min(last, next)), plot()?.top ?? 0);
  });
}

const isTap = (event: Event): boolean => event instanceof PointerEvent && event.pointerType === 'touch';

/** That of the bar that was clicked; null: beside all bars. */
function seriesOf(target: EventTarget | null): number | null {
  const series = target instanceof SVGElement ? target.dataset['series'] : undefined;
  return series === undefined ? null : Number(series);
}

/** In place of the number of a series: the dashed lines of all of them. */
const BEFORE = -1;

function shownOf(series: Series, isShown: boolean, withBefore: boolean): Series {
  const values = isShown ? series.values : series.values.map(() => null);
  return { ...series, values, before: isShown && withBefore ? series.before : null };
}

interface At {
  readonly color: number;
  readonly index: number;
  readonly data: ChartData;
  readonly before: boolean;
}

/** The lines of a tooltip about one series at one place. */
function linesAt(series: Series, { color, index, data, before }: At): readonly TooltipLine[] {
  const text = (values: Series['values']): string => numberText(values[index] ?? null, data.format);
  const now = { color, name: series.name === '' ? data.along : series.name, value: text(series.values) };
  if (series.before === null || !before) return [now];
  return [now, { color, dashed: true, name: 'previous', value: text(series.before) }];
}

/** Names with their colours; each toggles its series, and the last the dashed lines. */
function legend(data: ChartData, shown: Set<number>, redraw: () => void): HTMLElement {
  const list = made('ul', '', { class: 'legend', 'aria-label': 'Series' });
  const names = data.series.map(({ name }, index) => ({ name, index, key: `key s${index}` }));
  if (data.earlier !== null) names.push({ name: `Previous: ${data.earlier}`, index: BEFORE, key: 'key dashed' });
  names.forEach(({ name, index, key }) => {
    const button = made('button', '', { type: 'button', 'aria-pressed': 'true' });
    button.append(made('i', '', { class: key, 'aria-hidden': 'true' }), made('span', name));
    button.addEventListener('click', () => {
      if (shown.has(index)) shown.delete(index);
      else shown.add(index);
      button.setAttribute('aria-pressed', String(shown.has(index)));
      redraw();
    });
    const item = made('li');
    item.append(button);
    list.append(item);
  });
  return list;
}

/** A sentence for readers who cannot see the picture. */
function summary({ places, series, along, format, earlier, marks }: ChartData): string {
  const [first, last] = [places[0]?.long ?? '', places.at(-1)?.long ?? ''];
  const span = (values: Series['values']): string => {
    const numbers = values.filter((value) => value !== null);
    if (numbers.length === 0) return 'has no values';
    return `from ${numberText(Math.min(...numbers), format)} to ${numberText(Math.max(...numbers), format)}`;
  };
  const parts = series.slice(0, 3).map(({ name, values, before }) => {
    return `${name} ${span(values)}${before === null ? '' : `, previously ${span(before)}`}`;
  });
  return `by ${along}, ${first} to ${last}${earlier === null ? '' : `, compared with ${earlier}`}; ${parts.join('; ')}.${[...marks].map(([place, text]) => ` ${places[place]?.long}: ${text}.`).join('')}`;
}

function sliceText({ name, value, share }: Slice, { format }: ChartData): string {
  return `${name}: ${numberText(value, format)} (${percent(share)})`;
}

function percent(share: number): string {
  return numberText(share, { kind: 'percent', currency: null });
}
