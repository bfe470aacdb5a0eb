/** Rows as lines of JSON, for exports. Missing cells are left out. */
import { isoTime } from '../../base/day.ts';
import { STATED_COLUMNS } from '../../base/stated-fields.ts';
import type { Cell, Table, TableColumn } from '../plan/table.ts';
import type { Zone } from '../time/zone.ts';
import { jsonCell } from './json.ts';

/** `{…}` a row, with the columns as its keys. */
export function* formatLines({ columns, rows }: Table, zone: Zone): Iterable<string> {
  const keys = columns.map((column) => `${JSON.stringify(column.name)}:`);
  for (const row of rows) {
    const members = columns.flatMap((column, at) =>
      isMissing(row[at]) ? [] : [keys[at]! + jsonCell(row[at] ?? null, column, zone)],
    );
    yield `{${members.join(',')}}\n`;
  }
}

/**
 * The rows of events, profiles or bindings as what was sent: an event is the body of a /track, the others are the bodies of /identify
 * with `"type":"identify"` before all else. What follows from others is left out: a path from its URL, a person from bindings.
 */
export function* formatImport({ columns, rows }: Table): Iterable<string> {
  const linesOf = writerOf(columns);
  for (const row of rows) {
    const cells = new Map(columns.map(({ name }, at) => [name, row[at] ?? null]));
    for (const line of linesOf(cells)) yield `${JSON.stringify(line)}\n`;
  }
}

type Cells = ReadonlyMap<string, Cell>;
type Line = Readonly<Record<string, unknown>>;

function writerOf(columns: readonly TableColumn[]): (cells: Cells) => readonly Line[] {
  const has = (name: string): boolean => columns.some((column) => column.name === name);
  if (has('event_type')) return (cells) => [eventLine(cells)];
  return has('bound_at') ? (cells) => [bindingLine(cells)] : profileLines;
}

/** The members of a body by the columns that they are shown in. */
const MEMBERS: readonly (readonly [column: string, member: string])[] = [
  ...['event_type', 'user_id', 'device_id', 'session_id', 'insert_id'].map((name) => [name, name] as const),
  ...['event_properties', 'user_properties'].map((name) => [name, name] as const),
  ...STATED_COLUMNS.map((name) => [name, name] as const),
  ...([['_ip', 'ip'], ['_ua', 'user_agent'], ['_library', 'library']] as const),
]; // prettier-ignore

const ORIGINS: ReadonlyMap<Cell, Line> = new Map<Cell, Line>([
  ['server', { origin: 'server' }],
  ['client', { clientOriginated: true }],
]);

function eventLine(cells: Cells): Line {
  const members = MEMBERS.flatMap(([column, member]) => {
    const cell = cells.get(column);
    return isMissing(cell) ? [] : [[member, cell] as const];
  });
  const origin = ORIGINS.get(cells.get('_ingest_origin') ?? null);
  return { ...Object.fromEntries(members), time: timeIn(cells, 'time'), ...origin };
}

function bindingLine(cells: Cells): Line {
  const ids = { user_id: cells.get('user_id'), device_id: cells.get('device_id') };
  return { type: 'identify', ...ids, time: timeIn(cells, 'bound_at') };
}

/** The time of an identify is one at which its user was seen: two of them tell the first and the last. */
function profileLines(cells: Cells): readonly Line[] {
  const identify = { type: 'identify', user_id: cells.get('user_id') };
  const [first, last] = [timeIn(cells, 'first_seen'), timeIn(cells, 'last_seen')];
  const properties = cells.get('properties');
  const newest = { ...identify, time: last, ...(isMissing(properties) ? {} : { user_properties: properties }) };
  return first === last ? [newest] : [{ ...identify, time: first }, newest];
}

function timeIn(cells: Cells, column: string): string | undefined {
  const time = cells.get(column);
  return typeof time === 'number' ? isoTime(time) : undefined;
}

const isMissing = (cell: Cell | undefined): boolean =>
  cell === undefined ||
  cell === null ||
  (typeof cell === 'object' && !Array.isArray(cell) && Object.keys(cell).length === 0);
