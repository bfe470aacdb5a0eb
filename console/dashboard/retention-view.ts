/** Retention as a grid: a row per cohort, a column per period, darker the more people came back, or the greater the metric. */
import type { CardOptions } from '../../lib/dashboards/dashboard.ts';
import type { Envelope } from '../../lib/dashboards/data.ts';
import { made } from '../element.ts';
import type { BucketUnit } from './buckets.ts';
import { bucketText, isCut, laterBucket, unitOf } from './buckets.ts';
import type { ChosenCells } from '../../lib/dashboards/behind.ts';
import { cellOf } from '../cell-part.ts';
import { linked, type AddressOf } from './card-link.ts';
import { columnTitle, groupText, numberOf, quotient } from './chart-data.ts';
import { scrolled } from './scrolled.ts';
import { numberText } from './values.ts';

const SHADES = 6;

export function retentionView(
  { rows, column_types: columns, range }: Envelope,
  label: string,
  { options, addressOf }: { readonly options: CardOptions; readonly addressOf: AddressOf },
): HTMLElement {
  const periods = periodsIn(columns);
  const most = periods.some(({ role }) => role === 'metric') ? greatest(rows, periods) : null;
  const unit = unitOf(periods[0]?.name.replace(/_\d+$/, '') ?? '');
  /** Whether a cohort has not all of its people, or a period of it not all of its time. */
  const isOpen = (cohort: string, period: number): boolean =>
    unit !== null && unit !== 'hour' && (isCut(unit, cohort, range) || isCut(unit, laterBucket(unit, cohort, period), range)); // prettier-ignore
  const groups = columns.filter(({ name, role }) => role === 'group' && name !== 'cohort');
  const table = made('table', '', { class: 'data retention' });
  table.append(made('thead'), made('tbody'));
  const head = made('tr');
  head.append(
    ...groups.map(({ name }) => made('th', columnTitle(name, options), { scope: 'col', title: name })),
    made('th', 'cohort', { scope: 'col' }),
    made('th', 'people', { scope: 'col', class: 'number' }),
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
          ? cell(numberOf(row[name]), users, {
              address: addressOf({ which: `returned ${period}`, chosen: chosenIn(row, groups) }),
              isOpen: isOpen(cohort, period),
            })
          : measured(numberOf(row[name]), most),
      ),
    );
    table.tBodies[0]?.append(line);
  }
  if (most === null) table.createTFoot().append(averageRow(rows, periods, { groups, isOpen }));
  const region = scrolled(label, 'scroll');
  region.append(table);
  return region;
}

/** The cohort of a row, and its groups. */
function chosenIn(row: Envelope['rows'][number], groups: Columns): ChosenCells {
  const columns = [...groups.map(({ name }) => name), 'cohort'];
  return Object.fromEntries(columns.map((name) => [name, cellOf(row[name])]));
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

interface Averaged {
  readonly groups: Columns;
  readonly isOpen: (cohort: string, period: number) => boolean;
}

/** The share of all people of the cohorts whose period is over. */
function averageRow(rows: Envelope['rows'], periods: Columns, { groups, isOpen }: Averaged): HTMLElement {
  const line = made('tr');
  line.append(
    ...groups.map(() => made('td')),
    made('th', 'Average', { scope: 'row', title: 'Of all people whose period is over' }),
    made('td'),
    ...periods.map(({ name }, period) => {
      const over = rows.filter((row) => numberOf(row[name]) !== null && !isOpen(groupText(row['cohort']), period));
      const sum = (column: string): number => over.reduce((total, row) => total + (numberOf(row[column]) ?? 0), 0);
      const share = quotient(sum(name), sum('users'));
      return made('td', share === null ? '' : numberText(share, { kind: 'percent', currency: null }), {
        class: 'number',
      });
    }),
  );
  return line;
}

interface CellPlace {
  readonly address: string | null;
  readonly isOpen: boolean;
}

/** A period that has not begun is empty; one that is not over, or of an incomplete cohort, is marked. */
function cell(count: number | null, users: number | null, { address, isOpen }: CellPlace): HTMLElement {
  if (count === null) return made('td', '', { class: 'number' });
  const share = quotient(count, users);
  const shade = share === null ? 0 : Math.min(SHADES, Math.ceil(share * SHADES));
  const text = share === null ? '–' : numberText(share, { kind: 'percent', currency: null });
  const people = `${numberText(count, { kind: 'integer', currency: null })} people`;
  const so = isOpen ? ' (incomplete)' : '';
  const place = made('td', '', { class: `number shade${shade}${isOpen ? ' open' : ''}`, title: `${people}${so}` });
  place.append(linked(text, count === 0 ? null : address, `Show these ${people}`));
  return place;
}
