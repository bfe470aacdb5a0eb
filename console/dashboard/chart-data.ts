/** Turns answers into chart data: places along an axis, and series of numbers over them. */
import type { Annotation, CardOptions, Viz } from '../../lib/dashboards/dashboard.ts';
import { comparedRange, previousOf } from '../../lib/dashboards/comparison.ts';
import type { Envelope, EnvelopeColumn } from '../../lib/dashboards/data.ts';
import type { BucketUnit } from './buckets.ts';
import { bucketAt, bucketsOf, bucketText, isCut, spanText, unitOf, wallTimeIn } from './buckets.ts';
import type { Format } from './values.ts';
import { formatOf } from './values.ts';

/** How many series people can tell apart by colour. */
export const MOST_SERIES = 8;

/** Most groups in a chart without time. */
const MOST_PLACES = 60;

export interface Place {
  readonly key: string;
  /** Along the axis, from 0: of numbers to scale, with 1 for the smallest gap, else its number. */
  readonly at: number;
  /** `short` for the axis, `long` for tooltips and tables. */
  readonly short: string;
  readonly long: string;
  /** Whether the range cuts this bucket. */
  readonly cut: boolean;
}

export interface Series {
  readonly name: string;
  /** One per place. null: no value. */
  readonly values: readonly (number | null)[];
  /** The same in the earlier range, place by place; null: it is not compared. */
  readonly before: readonly (number | null)[] | null;
  /** Whose numbers these are; left out: computed of several. */
  readonly of?: SeriesSource;
}

/** A column of the answer to a query; if another column splits it, the rows of a group of that. */
interface SeriesSource {
  readonly query: string;
  readonly metric: string;
  readonly split: string | null;
  readonly group: string | null;
}

export interface ChartData {
  /** null: the places are not times. */
  readonly unit: BucketUnit | null;
  /** The column along the axis, and its title. */
  readonly column: string;
  readonly along: string;
  readonly places: readonly Place[];
  readonly series: readonly Series[];
  readonly format: Format;
  /** The days of the earlier range; null: nothing is compared. */
  readonly earlier: string | null;
  /** What happened, by the number of its place, a text for each place. */
  readonly marks: ReadonlyMap<number, string>;
  /** A sentence about what was left out; null: nothing was. */
  readonly left: string | null;
}

export type Answers = Readonly<Record<string, Envelope>>;

/** null: there is nothing to draw. */
export function chartData(
  answers: Answers,
  viz: Viz,
  options: CardOptions,
  annotations: readonly Annotation[] = [],
): ChartData | null {
  const [[, first] = []] = Object.entries(answers);
  if (first === undefined) return null;
  const along = columnAlong(first, options);
  if (along === null) return null;
  const unit = along.role === 'bucket' || along.type === 'time' ? unitOf(along.name) : null;
  const found = placeKeys(answers, along.name, unit);
  const isScale = unit === null && (viz === 'histogram' || viz === 'line' || viz === 'area') && found.every(isNumber);
  const keys = isScale ? found.toSorted((a, b) => Number(a) - Number(b)) : found;
  const dashes = unit !== null && (viz === 'line' || (viz === 'area' && !options.stacked));
  const axis = { along: along.name, keys, dashes };
  const all = options.ratio === null ? seriesOf(answers, axis, options) : ratioOf(answers, axis, options);
  const series = strongest(all.series);
  const before = series.some((one) => one.before !== null) ? comparedRange(first) : null;
  const places = unit === null ? keys.slice(0, MOST_PLACES) : keys;
  const spots = toScale(places.map(Number));
  return {
    unit,
    column: along.name,
    along: columnTitle(along.name, options),
    places: places.map((key, index) => ({ ...placeOf(key, unit, first), at: isScale ? spots[index]! : index })),
    series: series.map(({ values, before: dashed, ...one }) => ({
      ...one,
      values: values.slice(0, places.length),
      before: dashed,
    })),
    format: all.format,
    earlier: before === null ? null : spanText(before),
    marks: unit === null ? new Map() : marksOf(annotations, unit, { keys, zone: first.range.timezone }),
    left: leftOut(all.series.length - series.length, keys.length - places.length),
  };
}

function marksOf(
  annotations: readonly Annotation[],
  unit: BucketUnit,
  { keys, zone }: { readonly keys: readonly string[]; readonly zone: string },
): Map<number, string> {
  const marks = new Map<number, string>();
  const times = annotations.map(({ at, text }) => ({ at: at.endsWith('Z') ? wallTimeIn(zone, at) : at, text }));
  for (const { at, text } of times.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))) {
    const place = bucketAt(unit, keys, at);
    const before = marks.get(place);
    if (place >= 0) marks.set(place, before === undefined ? text : `${before}; ${text}`);
  }
  return marks;
}

/** Whether it has any number other than 0. */
export function hasNumbers(data: ChartData): boolean {
  return data.series.some(({ values }) => values.some((value) => value !== null && value !== 0));
}

/** The columns of numbers to draw: those named, else metrics, else all numbers; of one type, as they share a scale. */
export function numberColumns({ column_types: columns }: Envelope, options: CardOptions): readonly EnvelopeColumn[] {
  if (options.y !== null) return columns.filter(({ name }) => options.y?.includes(name));
  const numbers = columns.filter(({ type, role }) => isNumeric(type) && role !== 'group' && role !== 'bucket');
  const metrics = numbers.filter(({ role }) => role === 'metric');
  const value = metrics.find(({ name }) => name === 'value'); // of a formula, beside its operands
  const chosen = value !== undefined ? [value] : metrics.length > 0 ? metrics : numbers;
  return chosen.filter(({ type }) => type === chosen[0]?.type);
}

export function isNumeric(type: EnvelopeColumn['type']): boolean {
  return type === 'number' || type === 'ratio' || type === 'seconds';
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** The title of a column: that of the card, else fields without their prefix. */
export function columnTitle(name: string, { labels = {} }: Pick<CardOptions, 'labels'>): string {
  if (Object.hasOwn(labels, name)) return labels[name] ?? name;
  return name.replace(/^(?:event_properties|user_properties|session|user)\.|^_(?=[a-z])/, '').replaceAll('_', ' ');
}

/** The text of a group; a missing value gets a word too. */
export function groupText(value: unknown): string {
  if (value === null || value === undefined) return '(none)';
  if (value === '') return '(empty)';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function columnAlong({ column_types: columns, rows }: Envelope, options: CardOptions): EnvelopeColumn | null {
  const named = columns.find(({ name }) => name === options.x);
  if (named !== undefined) return named;
  const event = columns.find(({ name }) => name === 'event');
  const step = columns.find(({ name }) => name === 'step');
  // Steps that may come in any order have no event.
  if (event !== undefined && step !== undefined) return rows.every((row) => row['event'] === null) ? step : event;
  const rest = columns.filter(({ name }) => name !== options.series && options.y?.includes(name) !== true);
  return rest.find(({ role }) => role === 'bucket') ?? rest.find(({ role }) => role === 'group') ?? rest[0] ?? null;
}

function placeKeys(answers: Answers, along: string, unit: BucketUnit | null): readonly string[] {
  const keys = new Set(Object.values(answers).flatMap(({ rows }) => rows.map((row) => groupText(row[along]))));
  if (unit === null) return [...keys];
  const [first] = Object.values(answers);
  const [known] = keys;
  for (const bucket of (first && known !== undefined && bucketsOf(unit, first.range, known)) || []) keys.add(bucket);
  const sorted = [...keys].sort();
  // An hour that is repeated when clocks go back differs in its offset alone.
  return unit === 'hour' ? sorted.sort((a, b) => Date.parse(a) - Date.parse(b)) : sorted;
}

const isNumber = (key: string): boolean => key.trim() !== '' && Number.isFinite(Number(key));

/** Ascending numbers by their distance from the first, in smallest gaps; by their order where these have no measure. */
function toScale(values: readonly number[]): readonly number[] {
  const gap = Math.min(...values.slice(1).map((value, index) => value - values[index]!));
  const spots = values.map((value) => (value - values[0]!) / gap);
  return gap > 0 && spots.every(Number.isFinite) ? spots : values.map((_, index) => index);
}

function placeOf(key: string, unit: BucketUnit | null, { range }: Envelope): Omit<Place, 'at'> {
  if (unit === null) return { key, short: key, long: key, cut: false };
  return {
    key,
    short: bucketText(unit, key, 'short'),
    long: bucketText(unit, key, 'long'),
    cut: isCut(unit, key, range),
  };
}

interface AllSeries {
  readonly series: readonly Series[];
  readonly format: Format;
}

interface Axis {
  readonly along: string;
  readonly keys: readonly string[];
  /** Whether values of an earlier range are drawn beside those they belong to. */
  readonly dashes: boolean;
}

function seriesOf(answers: Answers, { along, keys, dashes }: Axis, options: CardOptions): AllSeries {
  let format: Format | null = null;
  const several = Object.keys(answers).length > 1;
  const series = Object.entries(answers).flatMap(([query, answer]) => {
    const drawn = numberColumns(answer, options);
    const earlier = dashes ? drawn.map(({ name }) => previousOf(name)) : [];
    const columns = drawn.filter(({ name }) => !earlier.includes(name));
    const split = seriesColumn(answer, along, options);
    const groups = split === null ? [null] : [...new Set(answer.rows.map((row) => groupText(row[split])))];
    return columns.flatMap((column) => {
      format ??= formatOf(column, options);
      const dashed = [...drawn, ...(options.compare ? answer.column_types : [])].find(({ name }) => dashes && name === previousOf(column.name)); // prettier-ignore
      return groups.map((group) => {
        const rows = group === null || split === null ? answer.rows : answer.rows.filter((row) => groupText(row[split]) === group); // prettier-ignore
        const parts = [several ? query.replaceAll('_', ' ') : null, group, columns.length > 1 || (!several && group === null) ? columnTitle(column.name, options) : null]; // prettier-ignore
        return {
          name: parts.filter((part) => part !== null).join(' · '),
          values: valuesAt(rows, along, column, keys),
          before: dashed === undefined ? null : valuesAt(rows, along, dashed, keys),
          of: { query, metric: column.name, split, group },
        };
      });
    });
  });
  return { series, format: format ?? { kind: 'number', currency: null } };
}

const STEPS = ['step', 'event'];

function seriesColumn({ column_types: columns }: Envelope, along: string, { series }: CardOptions): string | null {
  if (series !== null) return columns.find(({ name }) => name === series)?.name ?? null;
  const groups = columns.filter(({ name, role }) => name !== along && (role === 'group' || role === 'bucket'));
  const group = groups.find(({ name }) => !STEPS.includes(name) || !STEPS.includes(along)); // a funnel's step is its event
  return group?.name ?? null;
}

/** If an answer has no row for a place, counts are 0 there, and other metrics have no value. */
function valuesAt(
  rows: Envelope['rows'],
  along: string,
  { name }: EnvelopeColumn,
  keys: readonly string[],
): readonly (number | null)[] {
  const values = new Map(rows.map((row) => [groupText(row[along]), numberOf(row[name])]));
  const missing = /^(?:count|unique|sessions|events|users)(?:_previous)?\b/.test(name) ? 0 : null;
  return keys.map((key) => (values.has(key) ? (values.get(key) ?? null) : missing));
}

function ratioOf(answers: Answers, { along, keys, dashes }: Axis, options: CardOptions): AllSeries {
  const { part, whole } = options.ratio ?? { part: '', whole: '' };
  const [only] = Object.values(answers);
  /** `named`: the column to take in place of a metric. */
  const values = (name: string, named: (metric: string) => string): readonly (number | null)[] => {
    const answer = answers[name] ?? only;
    const metric = answers[name] === undefined ? name : numberColumns(answers[name], { ...options, y: null })[0]?.name;
    const column = answer?.column_types.find((one) => metric !== undefined && one.name === named(metric));
    return answer === undefined || column === undefined
      ? keys.map(() => null)
      : valuesAt(answer.rows, along, column, keys);
  };
  const shares = (named: (metric: string) => string): readonly (number | null)[] => {
    const wholes = values(whole, named);
    return values(part, named).map((value, index) => quotient(value, wholes[index] ?? null));
  };
  const before = dashes && options.compare ? shares(previousOf) : null;
  return {
    series: [
      {
        name: `${part} / ${whole}`,
        values: shares((metric) => metric),
        before: before?.some((share) => share !== null) === true ? before : null,
      },
    ],
    format: formatOf({ type: 'ratio' }, options),
  };
}

/** null if either is missing or `whole` is 0. */
export function quotient(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : part / whole;
}

function strongest(series: readonly Series[]): readonly Series[] {
  if (series.length <= MOST_SERIES) return series;
  const sum = ({ values }: Series): number => values.reduce<number>((total, value) => total + (value ?? 0), 0);
  return [...series].sort((a, b) => sum(b) - sum(a)).slice(0, MOST_SERIES);
}

function leftOut(series: number, places: number): string | null {
  const parts = [series > 0 ? `${series} more series` : null, places > 0 ? `${places} more groups` : null];
  const text = parts.filter((part) => part !== null).join(' and ');
  return text === '' ? null : `${text} are in the table, not in the picture.`;
}
