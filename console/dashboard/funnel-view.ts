/** A funnel as steps: how many people are left, and how many went on. */
import type { Envelope } from '../../lib/dashboards/data.ts';
import { made } from '../element.ts';
import { groupText, numberOf } from './chart-data.ts';
import { scrolled } from './scrolled.ts';
import { durationText, numberText } from './values.ts';

type Row = Readonly<Record<string, unknown>>;

/** Most groups of a funnel shown. */
const MOST_GROUPS = 8;

export function funnelView(answer: Envelope, label: string): HTMLElement {
  const groups = answer.column_types.filter(({ role }) => role === 'group' || role === 'bucket').filter(({ name }) => name !== 'step' && name !== 'event').map(({ name }) => name); // prettier-ignore
  const view = scrolled(label, 'funnel');
  const byGroup = new Map<string, Row[]>();
  for (const row of answer.rows) {
    const name = groups.map((group) => groupText(row[group])).join(' · ');
    byGroup.set(name, [...(byGroup.get(name) ?? []), row]);
  }
  for (const [name, rows] of [...byGroup].slice(0, MOST_GROUPS)) {
    if (groups.length > 0) view.append(made('p', name, { class: 'funnel-group' }));
    view.append(stepsOf(rows));
  }
  return view;
}

function stepsOf(rows: readonly Row[]): HTMLElement {
  const list = made('ol', '', { class: 'funnel-steps' });
  list.append(...rows.map((row, index) => step(row, index)));
  return list;
}

function step(row: Row, index: number): HTMLElement {
  const conversion = numberOf(row['conversion']);
  const item = made('li');
  const head = made('p', '', { class: 'funnel-head' });
  head.append(
    made('span', stepName(row), { class: 'funnel-name' }),
    made('strong', numberText(numberOf(row['users'] ?? row['units']), { kind: 'integer', currency: null })),
    made('span', numberText(conversion, { kind: 'percent', currency: null }), { class: 'funnel-share' }),
  );
  const bar = made('span', '', { class: 'funnel-bar', 'aria-hidden': 'true' });
  const left = made('i');
  left.style.width = `${100 * Math.max(0, Math.min(1, conversion ?? 0))}%`;
  bar.append(left);
  item.append(head, bar);
  if (index > 0) item.append(made('p', passage(row), { class: 'funnel-passage' }));
  return item;
}

/** Steps that may come in any order have no event. */
function stepName({ event, step: nth }: Row): string {
  return event === null ? `step ${groupText(nth)}` : groupText(event);
}

/** `42.1% of the step before, in 3 min 20 s (median)` */
function passage(row: Row): string {
  const seconds = numberOf(row['median_seconds']);
  const went = `${numberText(numberOf(row['step_conversion']), { kind: 'percent', currency: null })} of the step before`;
  return seconds === null ? went : `${went}, in ${durationText(seconds)} (median)`;
}
