/** A chart with its legend and tooltip, redrawn when its size changes. */
import type { Card } from '../../lib/dashboards/dashboard.ts';
import type { Envelope } from '../../lib/dashboards/data.ts';
import { made } from '../element.ts';
import { barChart, withDormantBelow } from './bar-chart.ts';
import type { Answers, ChartData } from './chart-data.ts';
import { chartData } from './chart-data.ts';
import { lineChart } from './line-chart.ts';
import { pathChart, streamsOf } from './path-chart.ts';
import type { Slice } from './pie-chart.ts';
import { pieChart, slicesOf } from './pie-chart.ts';
import type { Plot, Size } from './plot.ts';
import { retentionCurves } from './retention-view.ts';
import { scrolled } from './scrolled.ts';
import { shape } from './svg.ts';
import { Tooltip } from './tooltip.ts';
import { numberText } from './values.ts';

type AxisViz = 'line' | 'area' | 'bar' | 'lifecycle' | 'histogram';

const LEAST: Size = { width: 160, height: 72 };

/** Lines, areas and bars. */
/** @param addressOf Where a click on the place of a key leads: to who is behind it; null: nowhere. */
export function axisView(
  card: Card,
  viz: AxisViz,
  data: ChartData,
  addressOf: (key: string) => string | null,
): HTMLElement {
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
  const shown = new Set(signed.series.keys());
  let plot: Plot | null = null;
  const draw = (size: Size): SVGSVGElement => {
    const visible = { ...signed, series: signed.series.map((series, index) => (shown.has(index) ? series : { ...series, values: series.values.map(() => null) })) }; // prettier-ignore
    plot = viz === 'line' || viz === 'area' ? lineChart(visible, viz, card.options, size) : barChart(visible, viz, card.options, size); // prettier-ignore
    plot.svg.removeAttribute('aria-hidden');
    plot.svg.setAttribute('role', 'img');
    plot.svg.setAttribute('aria-label', told);
    return plot.svg;
  };
  const redraw = responsive(ground, draw);
  follow(ground, data, { plot: () => plot, shown, addressOf });
  view.append(ground);
  if (data.series.length > 1) view.append(legend(data, shown, redraw));
  if (data.left !== null) view.append(made('p', data.left, { class: 'more' }));
  return view;
}

export function pieView(card: Card, data: ChartData): HTMLElement {
  const slices = slicesOf(data);
  const view = made('div', '', { class: 'chart-view viz-pie' });
  const told = slices.map(({ name, share }) => `${name} ${percent(share)}`).join(', ');
  const ground = groundOf(`${card.title ?? card.id}: ${told}.`);
  const tooltip = new Tooltip(ground);
  responsive(ground, (size) => {
    const svg = pieChart(slices, data, size);
    [...svg.querySelectorAll('.slice')].forEach((slice, index) => {
      const one = slices[index];
      if (one !== undefined) tooltip.tell(slice, sliceText(one, data));
    });
    return svg;
  });
  const list = made('ul', '', { class: 'legend' });
  list.append(
    ...slices.map(({ name, value, share, color }) => {
      const item = made('li');
      item.append(made('i', '', { class: `key s${color}`, 'aria-hidden': 'true' }), made('span', name), ' ', made('strong', percent(share)), ' ', made('small', numberText(value, data.format, 'short'))); // prettier-ignore
      return item;
    }),
  );
  const shares = scrolled(`${card.title ?? card.id}: shares`, 'shares');
  shares.append(list);
  view.append(ground, shares);
  return view;
}

export function pathView(card: Card, answer: Envelope): HTMLElement {
  const streams = streamsOf(answer);
  const view = scrolled(`${card.title ?? card.id}: the picture`, 'chart-view viz-path'); // names need room: it scrolls on phones
  const [most] = [...streams.streams].sort((a, b) => b.value - a.value);
  const told = most === undefined ? '' : ` Most go from ${most.from} to ${most.to}.`;
  const ground = groundOf(`${card.title ?? card.id}: paths in ${streams.steps.length} steps.${told}`);
  const tooltip = new Tooltip(ground);
  responsive(ground, (size) => pathChart(streams, size, tooltip.tell));
  view.append(ground);
  return view;
}

/** null: there is nothing to draw. */
export function drawable(answers: Answers, card: Card): ChartData | null {
  if (card.kind !== 'retention') return chartData(answers, card.viz, card.options);
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
  return redraw;
}

interface Followed {
  readonly addressOf: (key: string) => string | null;
  readonly plot: () => Plot | null;
  readonly shown: ReadonlySet<number>;
}

/** Makes the tooltip follow the pointer or the arrow keys. */
function follow(ground: HTMLElement, data: ChartData, { plot, shown, addressOf }: Followed): void {
  const tooltip = new Tooltip(ground);
  let at = -1;
  const leave = (): void => {
    at = -1;
    tooltip.hide();
    plot()?.svg.querySelector('.cross')?.remove();
  };
  const go = (index: number, y: number): void => {
    const drawn = plot();
    const place = data.places[index];
    if (drawn === null || place === undefined) return;
    at = index;
    drawn.svg.querySelector('.cross')?.remove();
    const x = drawn.x(index);
    drawn.svg.prepend(shape('line', { class: 'cross', x1: x, x2: x, y1: drawn.top, y2: drawn.bottom }));
    const lines = data.series.flatMap(({ name, values }, color) => shown.has(color) ? [{ color, name: name === '' ? data.along : name, value: numberText(values[index] ?? null, data.format) }] : []); // prettier-ignore
    tooltip.show(place.cut ? `${place.long}, not all of it` : place.long, lines, { x, y });
  };
  ground.addEventListener('pointermove', (event) => {
    const drawn = plot();
    if (drawn === null || data.places.length === 0) return;
    const { left, top } = ground.getBoundingClientRect();
    const index = Math.round((event.clientX - left - drawn.x(0)) / drawn.step);
    go(Math.max(0, Math.min(data.places.length - 1, index)), event.clientY - top);
  });
  const visit = (): void => {
    const address = addressOf(data.places[at]?.key ?? '');
    if (address !== null) location.assign(address);
  };
  ground.addEventListener('click', visit);
  ground.classList.toggle('visits', data.places.some(({ key }) => addressOf(key) !== null)); // prettier-ignore
  ground.addEventListener('pointerleave', leave);
  ground.addEventListener('blur', leave);
  ground.addEventListener('keydown', (event) => {
    const last = data.places.length - 1;
    const next = { ArrowLeft: at < 0 ? last : at - 1, ArrowRight: at < 0 ? 0 : at + 1, Home: 0, End: last }[event.key];
    if (event.key === 'Escape') leave();
    if (event.key === 'Enter') visit();
    if (next === undefined) return;
    event.preventDefault();
    go(Math.max(0, Math.min(last, next)), plot()?.top ?? 0);
  });
}

/** Names with their colours; each toggles its series. */
function legend(data: ChartData, shown: Set<number>, redraw: () => void): HTMLElement {
  const list = made('ul', '', { class: 'legend', 'aria-label': 'Series' });
  data.series.forEach(({ name }, index) => {
    const button = made('button', '', { type: 'button', 'aria-pressed': 'true' });
    button.append(made('i', '', { class: `key s${index}`, 'aria-hidden': 'true' }), made('span', name));
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
function summary({ places, series, along, format }: ChartData): string {
  const [first, last] = [places[0]?.long ?? '', places.at(-1)?.long ?? ''];
  const told = series.slice(0, 3).map(({ name, values }) => {
    const numbers = values.filter((value) => value !== null);
    if (numbers.length === 0) return `${name} has no values`;
    return `${name} from ${numberText(Math.min(...numbers), format)} to ${numberText(Math.max(...numbers), format)}`;
  });
  return `by ${along}, ${first} to ${last}; ${told.join('; ')}.`;
}

function sliceText({ name, value, share }: Slice, { format }: ChartData): string {
  return `${name}: ${numberText(value, format)} (${percent(share)})`;
}

function percent(share: number): string {
  return numberText(share, { kind: 'percent', currency: null });
}
