/** Retention as a grid: a row per cohort, a column per period, darker the more people came back, or the greater the metric. */
import type { Envelope } from '../../lib/dashboards/data.ts';
import { made } from '../element.ts';
import type { BucketUnit } from './buckets.ts';
import { bucketText, unitOf } from './buckets.ts';
import type { Chosen } from '../../lib/dashboards/people.ts';
import { linked, type AddressOf } from './card-link.ts';
import { columnTitle, groupText, numberOf, quotient } from './chart-data.ts';
import { scrolled } from './scrolled.ts';
import { numberText } from './values.ts';

const SHADES = 6;

export function retentionView(
  { rows, column_types: columns }: Envelope,
  label: string,
  addressOf: AddressOf,
): HTMLElement {
  const periods = periodsIn(columns);
  const most = periods.some(({ role }) => role === 'metric') ? greatest(rows, periods) : null;
  const unit = unitOf(periods[0]?.name.replace(/_\d+$/, '') ?? '');
  const groups = columns.filter(({ name, role }) => role === 'group' && name !== 'cohort');
  const table = made('table', '', { class: 'data retention' });
  table.append(made('thead'), made('tbody'));
  const head = made('tr');
  head.append(
    ...groups.map(({ name }) => made('th', columnTitle(name), { scope: 'col', title: name })),
    made('th', 'cohort', { scope: 'col' }),
    made('th', 'users', { scope: 'col', class: 'number' }),
    ...periods.map((_, index) => made('th', periodName(unit, index), { scope: 'col', class: 'number' })),
  );
  table.tHead?.append(head);
  for (const row of rows) {
    const users = numberOf(row['users']);
    const line = made('tr');
    const cohort = groupText(row['cohort']);
    line.append(
      ...groups.map(({ name }) => made('td', groupText(row[name]))),
      made('th', cohortText(cohort, unit), { scope: 'row' }),
      made('td', numberText(users, { kind: 'integer', currency: null }), { class: 'number' }),
      ...periods.map(({ name }, period) =>
        most === null
          ? cell(numberOf(row[name]), users, addressOf({ which: `returned ${period}`, chosen: chosenIn(row, groups) }))
          : measured(numberOf(row[name]), most),
      ),
    );
    table.tBodies[0]?.append(line);
  }
  const region = scrolled(label, 'scroll');
  region.append(table);
  return region;
}

/** The cohort of a row, and its groups. */
function chosenIn(row: Envelope['rows'][number], groups: Columns): Chosen {
  const cells = [...groups.map(({ name }) => name), 'cohort'].map((name) => [name, row[name] ?? null] as const);
  return Object.fromEntries(cells.map(([name, cell]) => [name, typeof cell === 'number' || typeof cell === 'string' ? cell : null])); // prettier-ignore
}

/** Converts it to an answer for a line chart: a line per cohort, over the periods since it began. */
export function retentionCurves(answer: Envelope): Envelope {
  const { rows, column_types: columns } = answer;
  const periods = periodsIn(columns);
  const isMetric = periods.some(({ role }) => role === 'metric');
  const unit = unitOf(periods[0]?.name.replace(/_\d+$/, '') ?? '');
  const along = unit ?? 'period';
  const value = isMetric ? 'value' : 'share';
  const groups = columns.filter(({ role }) => role === 'group' || role === 'bucket');
  const points = rows.flatMap((row) => {
    const names = groups.map(({ name, role }) => cohortText(groupText(row[name]), role === 'bucket' ? unit : null));
    const users = numberOf(row['users']);
    return periods.flatMap(({ name }, period) => {
      const share = isMetric ? numberOf(row[name]) : quotient(numberOf(row[name]), users);
      return share === null ? [] : [{ [along]: String(period), cohort: names.join(' · '), [value]: share }];
    });
  });
  return {
    ...answer,
    columns: [along, 'cohort', value],
    column_types: [
      { name: along, type: 'string', role: 'group' },
      { name: 'cohort', type: 'string', role: 'group' },
      { name: value, type: isMetric ? (periods[0]?.type ?? 'number') : 'ratio', role: 'metric' },
    ],
    rows: points,
  };
}

function cohortText(text: string, unit: BucketUnit | null): string {
  return unit === null ? text : bucketText(unit, text, 'short');
}

function periodName(unit: string | null, index: number): string {
  return `${unit ?? 'period'} ${index}`;
}

type Columns = Envelope['column_types'];

/** With a metric in the cells, their columns are metrics. */
function periodsIn(columns: Columns): Columns {
  return columns.filter(({ role, name }) => role === 'period' || /^(?:day|week|month)_\d+$/.test(name));
}

function greatest(rows: Envelope['rows'], periods: Columns): number {
  return Math.max(0, ...rows.flatMap((row) => periods.map(({ name }) => numberOf(row[name]) ?? 0)));
}

function measured(value: number | null, most: number): HTMLElement {
  if (value === null) return made('td', '', { class: 'number' });
  const shade = most === 0 ? 0 : Math.max(0, Math.min(SHADES, Math.ceil((value / most) * SHADES)));
  return made('td', numberText(value, { kind: 'number', currency: null }), { class: `number shade${shade}` });
}

/** A period that has not begun or ended is empty. */
function cell(count: number | null, users: number | null, address: string | null): HTMLElement {
  if (count === null) return made('td', '', { class: 'number' });
  const share = quotient(count, users);
  const shade = share === null ? 0 : Math.min(SHADES, Math.ceil(share * SHADES));
  const text = share === null ? '–' : numberText(share, { kind: 'percent', currency: null });
  const people = `${numberText(count, { kind: 'integer', currency: null })} people`;
  const place = made('td', '', { class: `number shade${shade}`, title: people });
  place.append(linked(text, count === 0 ? null : address, `Show these ${people}`));
  return place;
}
