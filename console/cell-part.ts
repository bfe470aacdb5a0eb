/** Which part of an answer a cell is of, so that it leads to who or what is behind it. */
import type { Behind, ChosenCells, GroupCell, AnswerPart } from '../lib/dashboards/behind.ts';
import type { Envelope } from '../lib/dashboards/data.ts';
import { pathText } from '../lib/dsl/finish/path-text.ts';
import { bucketRange, unitOf } from './dashboard/buckets.ts';

type Row = Envelope['rows'][number];

/** What of an answer is needed. */
type Answered = Pick<Envelope, 'column_types' | 'range'>;

/** Columns of stages that work on rows: their numbers are of no people of their own. */
const OF_OTHERS = /^share$|_(?:previous|change)$/;
const STATES = ['new', 'returning', 'resurrected', 'dormant'];

/** null: it is no number, or one of nobody. */
export function cellPart(source: Behind['source'], answer: Answered, row: Row, column: string): AnswerPart | null {
  const role = answer.column_types.find(({ name }) => name === column)?.role;
  if (typeof row[column] !== 'number' || row[column] === 0 || (role !== 'metric' && role !== 'period')) return null;
  const chosen = groupsOf(answer, row);
  switch (source) {
    case 'funnel':
      return column === 'users' || column === 'conversion' ? { which: `reached ${Number(row['step'])}`, chosen } : null;
    case 'retention': {
      const period = /_(\d+)$/.exec(column)?.[1];
      return period === undefined ? null : { which: `returned ${period}`, chosen };
    }
    case 'lifecycle':
      return STATES.includes(column) ? lifecyclePart(answer, row, column) : null;
    case 'stickiness':
      return column === 'users' ? { which: String(Number(row['days'])) } : null;
    case 'paths':
      return column === 'users' ? { paths: [pathOf(row['path'])] } : null;
    case 'choice':
      if (column === 'conversions') return { chosen: { ...chosen, converted: true } };
      return column === 'users' || column === 'count' ? { chosen } : null;
    case 'inspect':
      return column === 'users' || column === 'count' ? { chosen, metric: column } : null;
    default:
      return OF_OTHERS.test(column) ? null : { chosen, metric: column, ...rangeOf(answer, row) };
  }
}

/** A path as the rows of its people print it. */
export function pathOf(cell: unknown): string {
  return (
    pathText(Array.isArray(cell) ? cell.map((label: unknown) => (typeof label === 'string' ? label : null)) : []) ?? ''
  );
}

/** Of those in a state in a bucket; null: the range cuts that bucket, so that the language does not count them. */
function lifecyclePart(answer: Answered, row: Row, state: string): AnswerPart | null {
  const found = bucketIn(answer, row);
  return found?.whole === true ? { which: state, range: { from: found.from, to: found.to } } : null;
}

/** The cells of a row's groups. */
function groupsOf({ column_types: columns }: Answered, row: Row): ChosenCells {
  const groups = columns.filter(({ name, role }) => (role === 'group' || role === 'bucket') && !STEPS.includes(name));
  return Object.fromEntries(groups.map(({ name }) => [name, cellOf(row[name])]));
}

/** Of a funnel. */
const STEPS = ['step', 'event'];

/** Groups of rows are texts, and numbers in bins. */
export const cellOf = (cell: unknown): GroupCell =>
  typeof cell === 'string' || typeof cell === 'number' ? cell : null;

function rangeOf(answer: Answered, row: Row): Pick<AnswerPart, 'range'> {
  const found = bucketIn(answer, row);
  return found === null ? {} : { range: { from: found.from, to: found.to } };
}

function bucketIn({ column_types: columns, range }: Answered, row: Row): ReturnType<typeof bucketRange> | null {
  const column = columns.find(({ role }) => role === 'bucket');
  const unit = column === undefined ? null : unitOf(column.name);
  const bucket = column === undefined ? null : row[column.name];
  return unit === null || typeof bucket !== 'string' ? null : bucketRange(unit, bucket, range);
}
