/** Verification of a shard file: that SQLite finds it whole, and that every column decodes to what its segment says. */
import { AppError } from '../errors.ts';
import { decodeIntegers } from './encoding/integers.ts';
import { decodeSequence } from './encoding/sequences.ts';
import { decodeTexts } from './encoding/texts.ts';
import { ARRIVAL, FIRST_FIELD, HOURS, INSERT_ID, TIME } from './segment/columns.ts';
import { decodeField, decodeNarrow } from './segment/decode.ts';
import { decodeInsertIds } from './segment/insert-ids.ts';
import { guarded, openForReading, type Connection } from './shard-file.ts';

/** Problems told of one shard; a damaged file can have thousands. */
const MAX_PROBLEMS = 10;

/** What is wrong with a shard file, one line each; empty when nothing is. A server may have it open at the same time. */
export function checkShard(file: string): readonly string[] {
  try {
    const connection = openForReading(file);
    try {
      return guarded(file, () => connection.transaction(() => problemsOf(connection))());
    } finally {
      connection.close();
    }
  } catch (error) {
    if (error instanceof AppError && error.data.code === 'shard_damaged') return [error.message];
    throw error;
  }
}

function problemsOf(connection: Connection): string[] {
  const found = connection.prepare<[], string>(`PRAGMA integrity_check(${MAX_PROBLEMS})`).pluck().all();
  const broken = found.filter((line) => line !== 'ok');
  if (broken.length > 0) return broken;
  const problems: string[] = [];
  for (const problem of [...dictionaryProblems(connection), ...segmentProblems(connection)]) {
    problems.push(problem);
    if (problems.length === MAX_PROBLEMS) break;
  }
  return problems;
}

function* dictionaryProblems(connection: Connection): Generator<string> {
  const chunks = connection.prepare<[], { field: number; first: number; count: number; data: Buffer }>(
    'SELECT field, first, count, data FROM dictionaries ORDER BY field, first',
  );
  let expected = { field: 0, first: 1 };
  for (const { field, first, count, data } of chunks.iterate()) {
    if (field !== expected.field) expected = { field, first: 1 };
    if (first !== expected.first) yield `dictionary ${field} has no codes from ${expected.first} to ${first - 1}`;
    const decoded = attempt(() => decodeTexts(data).count);
    if (decoded !== count) yield `dictionary ${field} from code ${first}: ${String(decoded)} texts instead of ${count}`;
    expected.first = first + count;
  }
}

function* segmentProblems(connection: Connection): Generator<string> {
  const segments = connection.prepare<[], { id: number; rows: number; first: number; last: number }>(
    'SELECT id, rows, first, last FROM segments WHERE live = 1 ORDER BY id',
  );
  const columns = connection.prepare<[number], { field: number; data: Buffer }>(
    'SELECT field, data FROM columns WHERE segment = ?',
  );
  for (const { id, rows, first, last } of segments.all()) {
    const fields = new Set<number>();
    for (const { field, data } of columns.iterate(id)) {
      fields.add(field);
      const length = attempt(() => lengthOf(field, data, rows, { first, last }));
      if (length !== rows) yield `segment ${id}, column ${field}: ${String(length)} rows instead of ${rows}`;
    }
    for (const needed of [TIME, ARRIVAL, INSERT_ID])
      if (!fields.has(needed)) yield `segment ${id} lacks column ${needed}`;
  }
}

/** Rows of a column, by decoding it. */
function lengthOf(field: number, data: Buffer, rows: number, times: { first: number; last: number }): number {
  if (field === TIME) {
    const values = decodeSequence(data);
    if (values[0] !== times.first || values[values.length - 1] !== times.last)
      throw new Error('times are not those of the segment');
    return values.length;
  }
  if (field === ARRIVAL) return decodeSequence(data).length;
  if (field === INSERT_ID) return decodeInsertIds(data).kinds.length;
  if (field === HOURS) {
    const { values, count } = decodeIntegers(data);
    return count > 0 && values[count - 1]! > rows ? -1 : rows;
  }
  if (field < FIRST_FIELD) return decodeNarrow(data).length;
  const { codes, numbers } = decodeField(data, rows);
  const places = numbers ? (numbers.rows?.length ?? rows) : 0;
  if (numbers && numbers.values.length !== places) return numbers.values.length;
  return codes ? codes.length : rows;
}

/** What `read` gives, or why it cannot. */
function attempt(read: () => number): number | string {
  try {
    return read();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
