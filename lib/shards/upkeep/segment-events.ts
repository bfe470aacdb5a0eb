/** The events of a segment as they were stored, for whoever copies them elsewhere. */
import { readJson } from '../../base/text/read-json.ts';
import type { StoredEvent, PropertyValue } from '../event.ts';
import type { StoredSegment } from '../segment/stored-segment.ts';
import { type Column, INSERT_MADE, OVERFLOW } from '../shard-reader.ts';

/** Values of a column by row; rows must ascend from call to call. */
type Reading = (row: number) => PropertyValue | null;

/** Texts of codes that are kept, so that they are decoded once. */
const KEPT = 65_536;

/** The events of the rows that are wanted, in order of time. */
export function* segmentEvents(
  segment: StoredSegment,
  isWanted: (time: number, arrival: number) => boolean,
): Generator<StoredEvent> {
  const [times, arrivals, received, ids] = [segment.times(), segment.arrivals(), segment.received(), segment.insertIds()]; // prettier-ignore
  const text = textReader(segment);
  const [type, user, device, session] = ['event_type', 'user_id', 'device_id', 'session_id'].map(text);
  const enriched = segment
    .columnKeys()
    .filter(isEnriched)
    .map((field) => [field, text(field)] as const);
  const [properties, userProperties] = [propertyReader(segment, 'p:'), propertyReader(segment, 'u:')];
  for (let row = 0; row < segment.rows; row++) {
    const [time, arrival] = [times[row]!, arrivals[row]!];
    if (!isWanted(time, arrival)) continue;
    const since = received?.[row] ?? -Infinity;
    yield {
      ...{ time, arrival, received: since === -Infinity ? 0 : since }, // 0: longer ago than ids are remembered
      ...{ type: type!(row) ?? '', userId: user!(row), deviceId: device!(row), sessionId: session!(row) },
      insertId: ids.kinds[row] === INSERT_MADE ? null : ids.text(row),
      ...{ properties: properties(row), userProperties: userProperties(row) },
      enriched: enriched.flatMap(([field, read]) => {
        const value = read(row);
        return value === null ? [] : [[field, value] as const];
      }),
    };
  }
}

/** Columns of fields that were read from the request (`_browser`). */
const isEnriched = (key: string): boolean => key.startsWith('_');

function textReader(segment: StoredSegment): (key: string) => (row: number) => string | null {
  return (key) => {
    const read = reading(segment.column(key));
    return (row) => {
      const value = read(row);
      return value === null || typeof value === 'number' ? null : value.text;
    };
  };
}

function propertyReader(segment: StoredSegment, space: 'p:' | 'u:'): (row: number) => StoredEvent['properties'] {
  const keys = segment.columnKeys().filter((key) => key.startsWith(space));
  const columns = keys.map((key) => [key.slice(space.length), reading(segment.column(key))] as const);
  return (row) =>
    columns.flatMap(([key, read]): StoredEvent['properties'] => {
      const value = read(row);
      if (value === null) return [];
      return key === OVERFLOW ? overflowing(value) : [[key, value]];
    });
}

/** The keys of a project with too many columns. */
function overflowing(value: PropertyValue): StoredEvent['properties'] {
  if (typeof value === 'number' || value.type !== 'object')
    throw new Error('a column of further keys has other values');
  const members = readJson(value.text) as Readonly<Record<string, unknown>>; // oxlint-disable-line typescript/no-unsafe-type-assertion -- the writer made it
  return Object.entries(members).map(([key, member]) => [key, columnValue(member)]);
}

function reading(column: Column | null): Reading {
  if (column === null) return () => null;
  const { codes, dictionary, numbers } = column;
  const known = new Map<number, PropertyValue>();
  let place = 0;
  return (row) => {
    const code = codes?.[row] ?? 0;
    if (code !== 0 && dictionary !== null) {
      let value = known.get(code);
      if (value === undefined) {
        if (known.size >= KEPT) known.clear();
        known.set(code, (value = { type: dictionary.type(code), text: dictionary.text(code) }));
      }
      return value;
    }
    if (numbers === null) return null;
    const { rows, values } = numbers;
    if (rows === null) return values[row]!;
    while (place < rows.length && rows[place]! < row) place++;
    return rows[place] === row ? values[place]! : null;
  };
}

/** A JSON value as events keep it. */
export function columnValue(value: unknown): PropertyValue {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return { type: 'string', text: value };
  if (value === null) return { type: 'null', text: '' };
  if (typeof value === 'boolean') return { type: 'boolean', text: String(value) };
  return { type: Array.isArray(value) ? 'array' : 'object', text: JSON.stringify(value) };
}
