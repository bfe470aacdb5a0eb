/** Verifies a shard file: SQLite finds it intact, and every column decodes to what its segment says. */
import { AppError, messageOf } from '../../base/errors.ts';
import { largestOf } from '../../primitives/columns.ts';
import { decodeIntegers } from '../segment/encoding/integers.ts';
import { decodeSequence } from '../segment/encoding/sequences.ts';
import { decodeTexts } from '../segment/encoding/texts.ts';
import { COLUMN, FIRST_FIELD } from '../segment/columns.ts';
import type { SegmentSummary } from '../shard-reader.ts';
import { type NarrowCodes, decodeField, decodeNarrow, type TriplesOf } from '../segment/decode.ts';
import { decodeFilter } from '../segment/insert-ids/insert-filter.ts';
import { decodeInsertIds } from '../segment/insert-ids/insert-ids.ts';
import { decodeTypeCounts, decodeTypeRows, type TypeCounts, type TypeGroup, typeGroups } from '../segment/type-rows.ts';
import { storedTriples } from '../segment/triples.ts';
import { allBindings } from '../file/bindings.ts';
import { checkedProfile } from '../file/profile-table.ts';
import { hasKeyRuns, readKeys } from '../segment/insert-ids/key-runs.ts';
import {
  closedAfterUse,
  type Connection,
  guarded,
  hasCurrentFormat,
  hasSums,
  openForReading,
} from '../file/shard-file.ts';
import { shardSchemaProblems } from './shard-schema.ts';
import { checkedBytes, checkedText, parseStored, type StoredBytes } from '../file/stored-bytes.ts';
import { isStoredTime, smallTableProblems } from './small-table-problems.ts';
import { MOST_TOLD } from '../../base/text/shown.ts';

/** Of a problem, which may quote what a file has. */
const MOST_CHARACTERS = 400;

/**
 * What is wrong with a shard file, one line per problem; empty if nothing is. A server may have it open meanwhile, and replace it for
 * an erasure: SQLite then reads the file that it has opened with the log of the new one. So what is damaged is opened once more.
 */
export function checkShard(file: string): readonly string[] {
  return problemsIn(file).length === 0 ? [] : problemsIn(file);
}

function problemsIn(file: string): readonly string[] {
  try {
    using shard = closedAfterUse(openForReading(file));
    const { connection } = shard;
    return guarded(file, () => connection.transaction(() => problemsOf(connection))());
  } catch (error) {
    if (error instanceof AppError && error.data.code === 'shard_damaged') return [error.message];
    throw error;
  }
}

function problemsOf(connection: Connection): string[] {
  const foreign = shardSchemaProblems(connection); // before anything is read, as a view may never end
  if (foreign.length > 0) return foreign;
  const found = connection.prepare<[], string>(`PRAGMA integrity_check(${MOST_TOLD})`).pluck().all();
  const broken = found.filter((line) => line !== 'ok');
  if (broken.length > 0) return broken;
  const problems: string[] = [];
  for (const problem of contentProblems(connection)) {
    problems.push(problem.slice(0, MOST_CHARACTERS));
    if (problems.length === MOST_TOLD) break;
  }
  return problems;
}

function* contentProblems(connection: Connection): Generator<string> {
  const sum = hasSums(connection) ? 'sum' : 'NULL AS sum';
  yield* smallTableProblems(connection);
  yield* dictionaryProblems(connection, sum);
  const sizes = sizesOf(connection);
  yield* segmentProblems(connection, { sum, sizes });
  yield* otherProblems(connection, sizes.get(COLUMN.userId) ?? 0);
}

function* dictionaryProblems(connection: Connection, sum: string): Generator<string> {
  const chunks = connection.prepare<[], StoredBytes & { field: number; first: number; count: number }>(
    `SELECT field, first, count, data, ${sum} FROM dictionaries ORDER BY field, first`,
  );
  let expected = { field: 0, first: 1 };
  for (const { field, first, count, ...row } of chunks.iterate()) {
    if (field !== expected.field) expected = { field, first: 1 };
    if (first !== expected.first) yield `dictionary ${field} has no codes from ${expected.first} to ${first - 1}`;
    const decoded = attempt(() => decodeTexts(checkedBytes(row)).count);
    if (decoded !== count) yield `dictionary ${field} from code ${first}: ${String(decoded)} texts instead of ${count}`;
    expected.first = first + count;
  }
}

/** The greatest code of each dictionary, by its field. */
function sizesOf(connection: Connection): ReadonlyMap<number, number> {
  const greatest = connection.prepare<[], { field: number; size: number }>(
    'SELECT field, max(first + count - 1) AS size FROM dictionaries GROUP BY field',
  );
  return new Map(greatest.all().map(({ field, size }) => [field, size]));
}

function* segmentProblems(
  connection: Connection,
  { sum, sizes }: { readonly sum: string; readonly sizes: ReadonlyMap<number, number> },
): Generator<string> {
  const segments = connection.prepare<[], SegmentSummary & { types: string; sum: number | null }>(
    `SELECT id, rows, first, last, types, ${sum} FROM segments WHERE live = 1 ORDER BY id`,
  );
  const columns = connection.prepare<[number], StoredBytes & { field: number }>(
    `SELECT field, data, ${sum} FROM columns WHERE segment = ?`,
  );
  const column = connection.prepare<[number, number], StoredBytes>(
    `SELECT data, ${sum} FROM columns WHERE segment = ? AND field = ?`,
  );
  for (const { id, rows, first, last, types, sum: typesSum } of segments.all()) {
    const triples: TriplesOf = () => storedTriples(column.get(id, COLUMN.triples));
    const fields = new Set<number>();
    const typeColumns = new Map<number, Buffer>();
    for (const { field, ...row } of columns.iterate(id)) {
      fields.add(field);
      const { data } = row;
      if (attempt(() => checkedBytes(row).length) !== data.length) {
        yield `segment ${id}, column ${field}: the bytes do not have their checksum`;
        continue;
      }
      if (field < 0 || field === COLUMN.eventType) typeColumns.set(field, data);
      if (field < 0) continue;
      const length = attempt(() => lengthOf({ field, data, triples }, rows, { first, last, sizes }));
      if (length !== rows) yield `segment ${id}, column ${field}: ${unlike(length, rows)}`;
    }
    for (const needed of [COLUMN.time, COLUMN.arrival, COLUMN.insertId, COLUMN.eventType])
      if (!fields.has(needed)) yield `segment ${id} lacks column ${needed}`;
    if (attempt(() => checkedText(types, typesSum).length) !== types.length) {
      yield `segment ${id}: the counts of event types do not have their checksum`;
      continue;
    }
    for (const problem of typeRowProblems(typeColumns, decodeTypeCounts(types))) yield `segment ${id}, ${problem}`;
  }
}

/** Checks that the rows stored for each event type are those that have it. Segments of earlier versions store none. */
function* typeRowProblems(columns: Map<number, Buffer>, types: TypeCounts): Generator<string> {
  const packed = columns.get(COLUMN.eventType);
  columns.delete(COLUMN.eventType);
  if (!packed || columns.size === 0) return;
  const codes = decodeNarrow(packed, () => storedTriples(undefined));
  for (const group of typeGroups(types)) {
    const column = columns.get(group.field);
    columns.delete(group.field);
    const right = column ? attempt(() => rightRows(column, group, codes)) : 0;
    if (right !== group.rows) yield `column ${group.field}: ${String(right)} right rows instead of ${group.rows}`;
  }
  for (const field of columns.keys()) yield `column ${field} is of no event type`;
}

/** For what is read as a whole: bindings, profiles, insert ids. A shard of format 1 has no checksums for them. */
function* otherProblems(connection: Connection, known: number): Generator<string> {
  if (!hasSums(connection)) return;
  const bindings = attempt(() => {
    for (const { device, user } of allBindings(connection)) expectCode(Math.max(device, user), known);
    return 0;
  });
  if (typeof bindings === 'string') yield `bindings: ${bindings}`;
  const dates = hasCurrentFormat(connection) ? 'dates' : 'NULL AS dates';
  const profiles = connection.prepare<[], StoredProfile>(
    `SELECT person, first_seen, last_seen, properties, ${dates}, sum FROM profiles`,
  );
  for (const { person, first_seen, last_seen, ...row } of profiles.iterate()) {
    const read = attempt(() => {
      expectCode(person, known);
      if (![first_seen, last_seen].every((time) => time === null || isStoredTime(time)))
        throw new Error('its times are none');
      return Object.keys(parseStored<object>(checkedProfile(row).properties)).length;
    });
    if (typeof read === 'string') yield `profile ${person}: ${read}`;
  }
  if (!hasKeyRuns(connection)) return;
  const ids = attempt(() => readKeys(connection).high.length);
  if (typeof ids === 'string') yield `insert ids: ${ids}`;
}

interface StoredProfile {
  readonly person: number;
  readonly first_seen: unknown;
  readonly last_seen: unknown;
  readonly properties: string;
  readonly dates: string | null;
  readonly sum: number | null;
}

/** Number of rows of a group's types that ascend and have their type in the column of types. */
function rightRows(column: Uint8Array, group: TypeGroup, codes: NarrowCodes): number {
  let right = 0;
  for (const code of group.types.codes) {
    const rows = decodeTypeRows(column, group, code);
    rows.forEach((row, i) => {
      if (codes[row] === code && (i === 0 || row > rows[i - 1]!)) right++;
    });
  }
  return right;
}

/** Number of rows of a column, by decoding it. */
function lengthOf(
  { field, data, triples }: { readonly field: number; readonly data: Buffer; readonly triples: TriplesOf },
  rows: number,
  of: { readonly first: number; readonly last: number; readonly sizes: ReadonlyMap<number, number> },
): number {
  if (field === COLUMN.time) {
    const values = decodeSequence(data);
    if (values[0] !== of.first || values[values.length - 1] !== of.last)
      throw new Error('times are not those of the segment');
    return values.length;
  }
  if (field === COLUMN.arrival || field === COLUMN.received) return decodeSequence(data).length;
  if (field === COLUMN.insertId) return decodeInsertIds(data).kinds.length;
  if (field === COLUMN.insertFilter) return decodeFilter(data).cells.length > 0 ? rows : 0;
  if (field === COLUMN.hours) {
    const hours = decodeIntegers(data);
    return (hours.at(-1) ?? 0) > rows ? -1 : rows;
  }
  if (field === COLUMN.triples) return decodeIntegers(data).length;
  if (field < FIRST_FIELD) {
    const codes = decodeNarrow(data, triples);
    expectCode(largestOf(codes), of.sizes.get(field === COLUMN.deviceId ? COLUMN.userId : field) ?? 0);
    return codes.length;
  }
  const { codes, local, numbers } = decodeField(data, rows, triples);
  if (codes) expectCode(largestOf(codes), local ? decodeTexts(local).count : (of.sizes.get(field) ?? 0));
  const withNumbers = numbers ? (numbers.rows?.length ?? rows) : 0;
  if (numbers && numbers.values.length !== withNumbers) return numbers.values.length;
  return codes ? codes.length : rows;
}

/** NarrowCodes are used as indexes. 0 is missing. */
function expectCode(code: number, greatest: number): void {
  if (code > greatest) throw new Error(`it has code ${code}, which its dictionary lacks`);
}

const unlike = (found: number | string, rows: number): string =>
  typeof found === 'string' ? found : `${found} rows instead of ${rows}`;

/** What `read` returns, or why it fails. */
function attempt(read: () => number): number | string {
  try {
    return read();
  } catch (error) {
    return messageOf(error);
  }
}
