/** One large number, with its change from the previous period. */
import type { Card } from '../../lib/dashboards/dashboard.ts';
import { comparedRange, previousOf } from '../../lib/dashboards/comparison.ts';
import type { CardData, Envelope } from '../../lib/dashboards/data.ts';
import { made } from '../element.ts';
import { linked, type CardLinks } from './card-link.ts';
import type { Answers } from './chart-data.ts';
import { numberColumns, numberOf, quotient } from './chart-data.ts';
import { momentText } from './buckets.ts';
import type { Format } from './values.ts';
import { shape } from './svg.ts';
import { changeText, formatOf, numberText, pointsText, roundedChange } from './values.ts';

type Ready = Extract<CardData, { state: 'ready' }>;

interface Figure {
  readonly value: number | null;
  readonly format: Format;
}

export function numberView({ options }: Card, { queries }: Ready, links: CardLinks): HTMLElement {
  const now = figureOf(queries, options);
  const view = made('div', '', { class: 'figure' });
  const value = made('p', '', { class: 'figure-value' });
  value.append(linked(numberText(now.value, now.format, 'figure'), numberAddress(queries, options, links), 'Show what is behind this number')); // prettier-ignore
  value.title = numberText(now.value, now.format);
  view.append(value);
  const before = options.compare ? figureOf(queries, options, previousOf) : null;
  if (before !== null && before.value !== null) view.append(changeOf(now, before, queries, options.better));
  const { goal } = options;
  if (goal !== null && now.value !== null) view.append(goalOf(now.value, now.format, goal));
  const drawn = options.sparkline === undefined ? undefined : queries[options.sparkline];
  if (drawn !== undefined) view.append(sparkline(drawn));
  return view;
}

/** A quotient is of nobody alone. */
function numberAddress(queries: Answers, options: Card['options'], links: CardLinks): string | null {
  const [[query, answer] = []] = Object.entries(queries);
  const [row] = answer?.rows ?? [];
  if (query === undefined || answer === undefined || row === undefined || options.ratio !== null) return null;
  const [column] = numberColumns(answer, options);
  return column === undefined ? null : links.cell(query, { answer, row, column: column.name });
}

/** Its values in order, as a small line from the lowest to the highest, zero at least. Says nothing to screen readers: the table does. */
function sparkline(answer: Envelope): SVGSVGElement {
  const column = answer.column_types.find(({ role }) => role === 'metric');
  const values = answer.rows.map((row) => numberOf(column === undefined ? null : row[column.name]) ?? 0);
  const most = Math.max(...values, 1);
  const points = values.map((value, index) => `${(100 * index) / Math.max(1, values.length - 1)},${30 - (28 * value) / most}`);
  const line = shape('svg', { class: 'sparkline', viewBox: '0 0 100 31', preserveAspectRatio: 'none', 'aria-hidden': 'true', focusable: 'false' });
  line.append(shape('polyline', { points: points.join(' ') }));
  return line;
} // prettier-ignore

/** The first number of the first query, or the quotient that the card names. @param named The column to take in place of a metric. */
function figureOf(
  answers: Answers,
  options: Card['options'],
  named: (metric: string) => string = (metric) => metric,
): Figure {
  const [first] = Object.values(answers);
  const cell = (answer: Envelope | undefined, metric: string): number | null =>
    numberOf(answer?.rows[0]?.[named(metric)]);
  if (options.ratio !== null) {
    const { part, whole } = options.ratio;
    const valueOf = (name: string): number | null => {
      const [column] = answers[name] === undefined ? [] : numberColumns(answers[name], { ...options, y: null });
      return column === undefined ? cell(first, name) : cell(answers[name], column.name);
    };
    return { value: quotient(valueOf(part), valueOf(whole)), format: formatOf({ type: 'ratio' }, options) };
  }
  const [column] = first === undefined ? [] : numberColumns(first, options);
  if (column === undefined) return { value: null, format: { kind: 'number', currency: null } };
  return { value: cell(first, column.name), format: formatOf(column, options) };
}

/**
 * The change, in percentage points for percentages, and whether it is better or worse. A previous value of 0 or none gives no
 * percentage, so only that value is shown.
 */
function changeOf(now: Figure, before: Figure, answers: Answers, better: Card['options']['better']): HTMLElement {
  const change = made('p', '', { class: 'figure-change' });
  const was = `was ${numberText(before.value, before.format, 'figure')}`;
  const by = difference(now, before);
  if (by !== null) {
    const arrow = made('span', by.size > 0 ? '▲ ' : by.size < 0 ? '▼ ' : '', { 'aria-hidden': 'true' });
    const isBetter = better === 'down' ? by.size < 0 : by.size > 0;
    const verdict = better === undefined || by.size === 0 ? null : isBetter ? 'better' : 'worse';
    const told = made('strong', '', { class: `figure-by ${verdict ?? ''}`.trim() });
    told.append(arrow, by.text, verdict === null ? '' : ` ${verdict}`);
    change.append(told, ` ${was}`);
  } else {
    change.textContent = was;
  }
  const [answer] = Object.values(answers);
  const range = answer === undefined ? null : comparedRange(answer);
  if (answer !== undefined && range !== null) change.title = `Compared with ${rangeText(range, answer)}`;
  return change;
}

function difference({ value: now, format }: Figure, { value: before }: Figure): { size: number; text: string } | null {
  if (now === null || before === null) return null;
  const isShare = format.kind === 'percent';
  const size = isShare ? now - before : quotient(now - before, Math.abs(before));
  if (size === null) return null;
  return { size: roundedChange(size), text: isShare ? pointsText(size) : changeText(size) };
}

function rangeText({ from, to }: { from: string; to: string }, { range }: Envelope): string {
  return `${momentText(from)} to ${momentText(to)} (${range.timezone})`;
}

function goalOf(value: number, format: Format, { value: wanted, label }: { value: number; label: string | null }): HTMLElement {
  const share = quotient(value, wanted) ?? 0;
  const name = label ?? 'Goal';
  const line = made('div', '', { class: 'figure-goal' });
  const bar = made('progress', '', { max: '1', value: String(Math.max(0, Math.min(1, share))), 'aria-label': name });
  line.append(bar, made('span', `${name} ${numberText(wanted, format, 'figure')}, ${numberText(share, { kind: 'percent', currency: null })}`));
  return line;
} // prettier-ignore
