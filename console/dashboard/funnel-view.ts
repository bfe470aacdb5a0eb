/** A funnel as steps: how many people are left, and how many went on. */
import type { Envelope } from '../../lib/dashboards/data.ts';
import { made } from '../element.ts';
import { cellOf } from '../cell-part.ts';
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

type AddressOfSome = (which: string) => string | null;

function stepsOf(rows: readonly Row[], addressOf: AddressOfSome): HTMLElement {
  const list = made('ol', '', { class: 'funnel-steps' });
  list.append(...rows.map((row, index) => step(row, { index, before: rows[index - 1], addressOf })));
  return list;
}

interface StepPlace {
  readonly index: number;
  readonly before: Row | undefined;
  readonly addressOf: AddressOfSome;
}

function step(row: Row, { index, before, addressOf }: StepPlace): HTMLElement {
  const conversion = numberOf(row['conversion']);
  const item = made('li');
  const head = made('p', '', { class: 'funnel-head' });
  const reached = made('strong');
  reached.append(linked(integer(countOf(row)), addressOf(`reached ${index + 1}`), 'Show who came to this step'));
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
  if (before === undefined) return item;
  const passed = made('p', passage(row), { class: 'funnel-passage' });
  const lost = (countOf(before) ?? 0) - (countOf(row) ?? 0);
  if (lost > 0) passed.append(' · ', linked(`${integer(lost)} dropped off`, addressOf(`dropped ${index}`), 'Show who came to the step before, and no further')); // prettier-ignore
  item.append(passed);
  return item;
}

/** People, or units. */
const countOf = (row: Row): number | null => numberOf(row['users'] ?? row['units']);

const integer = (value: number | null): string => numberText(value, { kind: 'integer', currency: null });

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
