/** Retention as a grid: a row per cohort, a column per period, darker the more people came back. */
import type { Envelope } from '../../lib/dashboards/data.ts';
import { made } from '../element.ts';
import type { BucketUnit } from './buckets.ts';
import { bucketText, unitOf } from './buckets.ts';
import { columnTitle, groupText, numberOf, quotient } from './chart-data.ts';
import { scrolled } from './scrolled.ts';
import { numberText } from './values.ts';

const SHADES = 6;

export function retentionView({ rows, column_types: columns }: Envelope, label: string): HTMLElement {
  const periods = columns.filter(({ role, name }) => role === 'period' || /^(?:day|week|month)_\d+$/.test(name));
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
      ...periods.map(({ name }) => cell(numberOf(row[name]), users)),
    );
    table.tBodies[0]?.append(line);
  }
  const region = scrolled(label, 'scroll');
  region.append(table);
  return region;
}

/** Converts it to an answer for a line chart: a line per cohort, over the periods since it began. */
export function retentionCurves(answer: Envelope): Envelope {
  const { rows, column_types: columns } = answer;
  const periods = columns.filter(({ role }) => role === 'period');
  const unit = unitOf(periods[0]?.name.replace(/_\d+$/, '') ?? '');
  const along = unit ?? 'period';
  const groups = columns.filter(({ role }) => role === 'group' || role === 'bucket');
  const points = rows.flatMap((row) => {
    const names = groups.map(({ name, role }) => cohortText(groupText(row[name]), role === 'bucket' ? unit : null));
    const users = numberOf(row['users']);
    return periods.flatMap(({ name }, period) => {
      const share = quotient(numberOf(row[name]), users);
      return share === null ? [] : [{ [along]: String(period), cohort: names.join(' · '), share }];
    });
  });
  return {
    ...answer,
    columns: [along, 'cohort', 'share'],
    column_types: [
      { name: along, type: 'string', role: 'group' },
      { name: 'cohort', type: 'string', role: 'group' },
      { name: 'share', type: 'ratio', role: 'metric' },
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

/** A period that has not begun or ended is empty. */
function cell(count: number | null, users: number | null): HTMLElement {
  if (count === null) return made('td', '', { class: 'number' });
  const share = quotient(count, users);
  const shade = share === null ? 0 : Math.min(SHADES, Math.ceil(share * SHADES));
  const text = share === null ? '–' : numberText(share, { kind: 'percent', currency: null });
  return made('td', text, { class: `number shade${shade}`, title: `${numberText(count, { kind: 'integer', currency: null })} people` });
} // prettier-ignore
