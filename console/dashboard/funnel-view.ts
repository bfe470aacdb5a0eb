/** A funnel as steps: how many people are left, and how many went on. */
import type { Envelope } from '../../lib/dashboards/data.ts';
import { made } from '../element.ts';
import { linked, type AddressOf } from './card-link.ts';
import { groupText, numberOf } from './chart-data.ts';
import { scrolled } from './scrolled.ts';
import { durationText, numberText } from './values.ts';

type Row = Readonly<Record<string, unknown>>;

/** Most groups of a funnel shown. */
const MOST_GROUPS = 8;

export function funnelView(answer: Envelope, label: string, addressOf: AddressOf): HTMLElement {
  const groups = answer.column_types.filter(({ role }) => role === 'group' || role === 'bucket').filter(({ name }) => name !== 'step' && name !== 'event').map(({ name }) => name); // prettier-ignore
  const view = scrolled(label, 'funnel');
  const byGroup = new Map<string, Row[]>();
  for (const row of answer.rows) {
    const name = groups.map((group) => groupText(row[group])).join(' · ');
    byGroup.set(name, [...(byGroup.get(name) ?? []), row]);
  }
  for (const [name, rows] of [...byGroup].slice(0, MOST_GROUPS)) {
    if (groups.length > 0) view.append(made('p', name, { class: 'funnel-group' }));
    const chosen = Object.fromEntries(groups.map((group) => [group, cellOf(rows[0]?.[group])]));
    view.append(stepsOf(rows, (which) => addressOf({ which, chosen })));
  }
  return view;
}

/** Groups of rows are texts, and numbers in bins. */
const cellOf = (cell: unknown): string | number | null =>
  typeof cell === 'string' || typeof cell === 'number' ? cell : null;

type AddressOfSome = (which: string) => string | null;

function stepsOf(rows: readonly Row[], addressOf: AddressOfSome): HTMLElement {
  const list = made('ol', '', { class: 'funnel-steps' });
  list.append(...rows.map((row, index) => step(row, index, addressOf)));
  return list;
}

function step(row: Row, index: number, addressOf: AddressOfSome): HTMLElement {
  const conversion = numberOf(row['conversion']);
  const item = made('li');
  const head = made('p', '', { class: 'funnel-head' });
  const users = numberText(numberOf(row['users'] ?? row['units']), { kind: 'integer', currency: null });
  const reached = made('strong');
  reached.append(linked(users, addressOf(`reached ${index + 1}`), 'Show who came to this step'));
  head.append(
    made('span', stepName(row), { class: 'funnel-name' }),
    reached,
    made('span', numberText(conversion, { kind: 'percent', currency: null }), { class: 'funnel-share' }),
  );
  const bar = made('span', '', { class: 'funnel-bar', 'aria-hidden': 'true' });
  const left = made('i');
  left.style.width = `${100 * Math.max(0, Math.min(1, conversion ?? 0))}%`;
  bar.append(left);
  item.append(head, bar);
  if (index === 0) return item;
  const passed = made('p', passage(row), { class: 'funnel-passage' });
  const address = addressOf(`dropped ${index}`);
  if (address !== null) passed.append(' · ', linked('who stopped', address, 'Show who came to the step before, and no further')); // prettier-ignore
  item.append(passed);
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
