/** The parameters of GET /export: from the address to what is exported. */
import { AppError } from '../../base/errors.ts';
import type { AnswerFormat } from '../../dsl/format/answer.ts';
import { onlyParameter } from '../http/query-string.ts';
import { parameter } from '../route/schema.ts';
import type { CursorKind } from '../query/cursor.ts';
import { nearestField, shownField } from '../route/json-body.ts';

export interface ExportRequest {
  /** The query whose rows are exported. */
  readonly q: string;
  /** Whether it says of which time. */
  readonly isDated: boolean;
  readonly timezone: string | null;
  /** What is exported, one after the other. */
  readonly kinds: readonly [CursorKind, ...CursorKind[]];
  /** Of the first page, and of later ones. */
  readonly formats: readonly [first: AnswerFormat, later: AnswerFormat];
  readonly cursor: string | null;
  /** Rows of the one page that is wanted; null: all of it, as a stream. */
  readonly limit: number | null;
}

/** Rows of the largest page. */
export const MOST_ROWS = 10_000;

const KINDS = {
  events: ['t'],
  bindings: ['b'],
  profiles: ['p'],
  all: ['t', 'b', 'p'],
} as const satisfies Readonly<Record<string, readonly CursorKind[]>>;

const FORMATS = {
  ndjson: ['import', 'import'],
  rows: ['lines', 'lines'],
  csv: ['csv', 'csv_rows'],
} as const satisfies Readonly<Record<string, readonly AnswerFormat[]>>;

const ORDERS = { time: 't', arrival: 'a' } as const;

const oneOf = (values: object, usual: string): object => ({ enum: Object.keys(values), default: usual });

export const EXPORT_PARAMETERS: readonly object[] = [
  parameter('kind', 'What to export; `all`: events, then bindings, then profiles.', oneOf(KINDS, 'events')),
  parameter('last', 'How far back, as in a query: `30d`. Without any time everything is exported.'),
  parameter('since', 'Events from this date or time on.'),
  parameter('until', 'Events before this date or time; defaults to now.'),
  parameter('timezone', 'Time zone of dates, an IANA name.'),
  parameter('where', 'A condition on events, as in a query.'),
  parameter('format', '`ndjson`: lines as they were sent, for an import; `rows`: lines as a list shows them.', oneOf(FORMATS, 'ndjson')), // prettier-ignore
  parameter('order', '`arrival`: in order of acknowledgment, so that a later export goes on behind this one.', oneOf(ORDERS, 'time')), // prettier-ignore
  parameter('limit', 'Rows of a page; without it all pages are streamed.', { type: 'integer', minimum: 1, maximum: MOST_ROWS }), // prettier-ignore
  parameter('cursor', 'Goes on behind the page whose `X-Next-Cursor` this is.'),
];

const NAMES = ['key', ...EXPORT_PARAMETERS.map((one) => String(Reflect.get(one, 'name')))];

/** Throws AppError 400 that says what is wrong. */
export function readExportRequest(parameters: URLSearchParams): ExportRequest {
  for (const name of parameters.keys())
    if (!NAMES.includes(name)) throw wrong(`The parameter ${shownField(name)} is unknown${nearestField(name, NAMES)}.`);
  const given = (name: string): string | null => onlyParameter(parameters, name) ?? null;
  const choice = <T>(
    name: string,
    values: Readonly<Record<string, T>>,
    usual: string,
    hints: readonly string[] = [],
  ): T => {
    const value = values[Object.hasOwn(values, given(name) ?? usual) ? (given(name) ?? usual) : ''];
    if (value === undefined) throw wrong(`${name} must be ${Object.keys(values).join(', ')}.`, hints);
    return value;
  };
  const kind = given('kind') ?? 'events';
  const kinds = choice('kind', KINDS, 'events');
  const order = choice('order', ORDERS, 'time');
  const formats = choice('format', FORMATS, 'ndjson', ['For Parquet, run `wl export --format parquet`.']);
  const where = given('where');
  if (where !== null && kind !== 'events')
    throw wrong('where is a condition on events: export them alone, with kind=events.');
  if (order === 'a' && kind !== 'events') throw wrong('order=arrival is for kind=events.');
  if (kind === 'all' && formats !== FORMATS.ndjson)
    throw wrong('kind=all is for format=ndjson: the others have columns of one kind.');
  const range = rangeOf(given('last'), given('since'), given('until'));
  return {
    q: `*${where === null ? '' : ` | where ${where}`} | with bots | ${range ?? 'all'} | list`,
    isDated: range !== null,
    timezone: given('timezone'),
    kinds: kind === 'events' ? [order] : kinds,
    formats,
    cursor: given('cursor'),
    limit: limitOf(given('limit')),
  };
}

/** The stage of the query; null: none is wanted. */
function rangeOf(last: string | null, since: string | null, until: string | null): string | null {
  if (last !== null) {
    if (since !== null || until !== null) throw wrong('last excludes since and until: they all say of which time.');
    if (!/^[\w ]{1,40}$/.test(last)) throw wrong('last must be a length such as 30d.');
    return `last ${last}`;
  }
  if (since === null && until === null) return null;
  if (since === null) throw wrong('until takes since, too: from when on.');
  return `from ${instant('since', since)}${until === null ? '' : ` to ${instant('until', until)}`}`;
}

function instant(name: string, text: string): string {
  if (!/^[\w:.+-]{1,40}$/.test(text))
    throw wrong(`${name} must be a date or a time such as 2026-11-01 or 2026-11-01T10:00Z.`);
  return `"${text}"`;
}

function limitOf(text: string | null): number | null {
  if (text === null) return null;
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MOST_ROWS)
    throw wrong(`limit must be a whole number from 1 to ${MOST_ROWS.toLocaleString('en')}.`);
  return limit;
}

const wrong = (message: string, hints: readonly string[] = []): AppError =>
  new AppError('bad_request', message, hints.length === 0 ? {} : { hints });
