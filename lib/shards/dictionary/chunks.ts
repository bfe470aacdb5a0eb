/** The rows of table `dictionaries`: texts in order of their codes, one chunk per row. */
import { kept } from '../../base/kept.ts';
import { decodeTexts, encodeTexts, joinedTexts, partOf, type TextList } from '../segment/encoding/texts.ts';
import { prepared, type Connection } from '../file/shard-file.ts';
import { isImage } from '../file/shard-image.ts';
import { checkedBytes, sumOf, type StoredBytes } from '../file/stored-bytes.ts';
import { textAt } from '../segment/text-list-dictionary.ts';

/** Bytes of text after which the next chunk begins: to read one text, no more than this, or that text, is inflated. */
const CHUNK_BYTES = 256 << 10;
/** A last chunk with fewer texts is absorbed by the next, so that a shard sealed often keeps few of them. */
const SMALL = 1024;

interface ChunkRow extends StoredBytes {
  readonly first: number;
  readonly count: number;
}

/** Texts whose codes begin with `first`. */
interface Chunk {
  readonly first: number;
  readonly list: TextList;
}

/** All rows of images, by field: a writer needs each dictionary of a shard it loads, and a statement takes longer than a row. */
const imageRows = new WeakMap<Connection, ReadonlyMap<number, readonly ChunkRow[]>>();

function rowsOfImage(connection: Connection, field: number): readonly ChunkRow[] {
  return kept(imageRows, connection, () => readAllRows(connection)).get(field) ?? [];
}

function readAllRows(connection: Connection): Map<number, ChunkRow[]> {
  const sql = 'SELECT field, first, count, data, sum FROM dictionaries ORDER BY field, first';
  return Map.groupBy(prepared<[], ChunkRow & { field: number }>(connection, sql).all(), ({ field }) => field);
}

/** Stores the texts of the codes from `first` on, following the stored ones. Must run inside the caller's transaction. */
export function appendTexts(connection: Connection, field: number, first: number, list: TextList): void {
  if (list.count === 0) return;
  const last = prepared<[number], Omit<ChunkRow, keyof StoredBytes>>(
    connection,
    'SELECT first, count FROM dictionaries WHERE field = ? ORDER BY first DESC LIMIT 1',
  ).get(field);
  const small = last && last.count < SMALL ? chunkWith(connection, field, last.first).list : null;
  const open = small && (small.ends[small.count - 1] ?? 0) < CHUNK_BYTES ? small : null;
  const from = open ? last!.first : first;
  const whole = open ? joinedTexts([open, list]) : list;
  const insert = prepared(
    connection,
    'INSERT OR REPLACE INTO dictionaries (field, first, count, data, sum) VALUES (?, ?, ?, ?, ?)',
  );
  for (let start = 0; start < whole.count;) {
    const piece = pieceFrom(whole, start);
    const data = encodeTexts(piece);
    insert.run(field, from + start, piece.count, data, sumOf(data));
    start += piece.count;
  }
}

/** The texts of a dictionary from a code on, chunk by chunk; the first chunk may begin before it. */
export function* storedTexts(connection: Connection, field: number, from = 1): Generator<Chunk> {
  if (isImage(connection)) {
    for (const { first, count, ...row } of rowsOfImage(connection, field))
      if (first + count > from) yield { first, list: decodeTexts(checkedBytes(row)) };
    return;
  }
  const chunks = prepared<[number, number], ChunkRow>(
    connection,
    'SELECT first, count, data, sum FROM dictionaries WHERE field = ? AND first + count > ? ORDER BY first',
  );
  for (const { first, ...row } of chunks.iterate(field, from)) yield { first, list: decodeTexts(checkedBytes(row)) };
}

/** The largest stored code; 0 if none. */
export function storedCodes(connection: Connection, field: number): number {
  if (isImage(connection)) {
    const last = rowsOfImage(connection, field).at(-1);
    return last ? last.first + last.count - 1 : 0;
  }
  return (
    prepared<[number], { last: number }>(
      connection,
      'SELECT first + count - 1 AS last FROM dictionaries WHERE field = ? ORDER BY first DESC LIMIT 1',
    ).get(field)?.last ?? 0
  );
}

/** Number of a dictionary's chunks that begin after a code. */
export function chunksAfter(connection: Connection, field: number, code: number): number {
  if (isImage(connection)) return rowsOfImage(connection, field).filter(({ first }) => first > code).length;
  return prepared<[number, number], { rows: number }>(
    connection,
    'SELECT count(*) AS rows FROM dictionaries WHERE field = ? AND first > ?',
  ).get(field, code)!.rows;
}

/** The stored texts of some codes, ascending, reading each row once. */
export function* textsOfCodes(
  connection: Connection,
  field: number,
  codes: readonly number[],
): Generator<{ readonly code: number; readonly text: string }> {
  let chunk: Chunk | null = null;
  for (const code of codes) {
    if (chunk === null || code >= chunk.first + chunk.list.count) chunk = chunkWith(connection, field, code);
    yield { code, text: textAt(chunk.list, code - chunk.first) };
  }
}

export function storedText(connection: Connection, field: number, code: number): string {
  const { first, list } = chunkWith(connection, field, code);
  return textAt(list, code - first);
}

function chunkWith(connection: Connection, field: number, code: number): Chunk {
  const row = prepared<[number, number], ChunkRow>(
    connection,
    'SELECT first, count, data, sum FROM dictionaries WHERE field = ? AND first <= ? ORDER BY first DESC LIMIT 1',
  ).get(field, code);
  if (!row || code >= row.first + row.count) throw new Error(`dictionary ${field} has no code ${code}`);
  return { first: row.first, list: decodeTexts(checkedBytes(row)) };
}

/** The texts from `start` on that fill a chunk; at least one. */
function pieceFrom(list: TextList, start: number): TextList {
  const { count, ends } = list;
  const begin = start === 0 ? 0 : ends[start - 1]!;
  let end = start + 1;
  while (end < count && ends[end]! - begin <= CHUNK_BYTES) end++;
  return partOf(list, start, end);
}
