/** One large number, with its change from the previous period. */
import type { Card } from '../../lib/dashboards/dashboard.ts';
import type { CardData, Envelope } from '../../lib/dashboards/data.ts';
import { made } from '../element.ts';
import type { Answers } from './chart-data.ts';
import { numberColumns, numberOf, quotient } from './chart-data.ts';
import { momentText } from './buckets.ts';
import type { Format } from './values.ts';
import { changeText, formatOf, numberText } from './values.ts';

interface Figure {
  readonly value: number | null;
  readonly format: Format;
}

export function numberView({ options }: Card, { queries, previous }: Extract<CardData, { state: 'ready' }>): HTMLElement {
  const now = figureOf(queries, options);
  const view = made('div', '', { class: 'figure' });
  const value = made('p', numberText(now.value, now.format, 'short'), { class: 'figure-value' });
  value.title = numberText(now.value, now.format);
  view.append(value);
  const before = previous === null ? null : figureOf(previous, options);
  if (previous !== null && before !== null && before.value !== null) view.append(changeOf(now, before, previous));
  const { goal } = options;
  if (goal !== null && now.value !== null) view.append(goalOf(now.value, now.format, goal));
  return view;
} // prettier-ignore

/** The first number of the first query, or the quotient that the card names. */
function figureOf(answers: Answers, options: Card['options']): Figure {
  const [first] = Object.values(answers);
  if (first === undefined) return { value: null, format: { kind: 'number', currency: null } };
  if (options.ratio === null) {
    const [column] = numberColumns(first, options);
    return column === undefined
      ? { value: null, format: { kind: 'number', currency: null } }
      : { value: numberOf(first.rows[0]?.[column.name]), format: formatOf(column, options) };
  }
  const { part, whole } = options.ratio;
  const valueOf = (name: string): number | null => {
    const answer = answers[name];
    const [column] = answer === undefined ? [] : numberColumns(answer, { ...options, y: null });
    if (answer !== undefined && column !== undefined) return numberOf(answer.rows[0]?.[column.name]);
    return numberOf(first.rows[0]?.[name]);
  };
  return { value: quotient(valueOf(part), valueOf(whole)), format: formatOf({ type: 'ratio' }, options) };
}

/** A previous value of 0 or none gives no percentage, so only that value is shown. */
function changeOf(now: Figure, before: Figure, previous: Answers): HTMLElement {
  const change = made('p', '', { class: 'figure-change' });
  const was = `was ${numberText(before.value, before.format, 'short')}`;
  const share = now.value === null || before.value === null ? null : quotient(now.value - before.value, Math.abs(before.value));
  if (share !== null) {
    const direction = share > 0 ? 'up' : share < 0 ? 'down' : 'same';
    const arrow = made('span', direction === 'up' ? '▲ ' : direction === 'down' ? '▼ ' : '', { 'aria-hidden': 'true' });
    const by = made('strong', '', { class: 'figure-by' });
    by.append(arrow, changeText(share));
    change.append(by, ` ${was}`);
  } else {
    change.textContent = was;
  }
  const [answer] = Object.values(previous);
  if (answer !== undefined) change.title = `Previous period: ${rangeText(answer)}`;
  return change;
} // prettier-ignore

function rangeText({ range }: Envelope): string {
  return `${momentText(range.from)} to ${momentText(range.to)} (${range.timezone})`;
}

function goalOf(value: number, format: Format, { value: wanted, label }: { value: number; label: string | null }): HTMLElement {
  const share = quotient(value, wanted) ?? 0;
  const name = label ?? 'Goal';
  const line = made('div', '', { class: 'figure-goal' });
  const bar = made('progress', '', { max: '1', value: String(Math.max(0, Math.min(1, share))), 'aria-label': name });
  line.append(bar, made('span', `${name} ${numberText(wanted, format, 'short')}, ${numberText(share, { kind: 'percent', currency: null })}`));
  return line;
} // prettier-ignore
