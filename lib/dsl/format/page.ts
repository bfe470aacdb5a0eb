/** The rows of an answer as text, without their context: the part that takes time and needs only the table. */
import { AppError } from '../../base/errors.ts';
import { joinedParts } from '../../base/parts.ts';
import { csvField } from '../../base/text/csv-text.ts';
import { zoneOf } from '../plan/columns.ts';
import type { Cell, Table, TableColumn } from '../plan/table.ts';
import type { AnswerFormat, Page } from './answer.ts';
import { formatRows } from './json.ts';
import { formatImport, formatLines } from './lines.ts';
import { formatTable } from './markdown.ts';
import type { Zone } from '../time/zone.ts';
import { cellText, isNumberCell } from './cell-text.ts';

/** Bytes of the longest answer. */
const MOST_BYTES = 64 << 20;
/** Characters encoded at once. */
const BLOCK = 1 << 16;

const WRITERS: Readonly<
  Record<AnswerFormat, (table: Table, zone: Zone, asked: readonly number[]) => Iterable<string>>
> = {
  llm: formatTable,
  json: formatRows,
  csv: formatCsv,
  csv_rows: formatCsvRows,
  lines: formatLines,
  import: formatImport,
};

/** @param zone IANA name or UTC, for printing times. @param asked Columns of metrics that the query names, by index. */
export function formatPage(format: AnswerFormat, table: Table, zone: string, asked: readonly number[] = []): Page {
  const { columns, rows, total, reached } = table;
  const text = encoded(WRITERS[format](table, zoneOf({ zone }), asked));
  const blankMetrics = blankOf(table, asked);
  const page = { columns, shown: rows.length, total, isEmpty: isEmpty(table), blankMetrics, text };
  return reached === undefined ? page : { ...page, reached };
}

function isEmpty({ columns, rows }: Table): boolean {
  const told = columns.flatMap(({ role }, at) => (role === 'group' || role === 'bucket' ? [] : [at]));
  return rows.every((row) => told.every((at) => row[at] === null || row[at] === 0));
}

function blankOf({ rows }: Table, asked: readonly number[]): number[] {
  return rows.length === 0 ? [] : asked.filter((at) => rows.every((row) => row[at] === null));
}

/** Piece by piece, as all pieces and their bytes together would take three times as much. Throws if there are too many. */
function encoded(pieces: Iterable<string>): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const blocks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  let text = '';
  const encode = (): void => {
    const block = encoder.encode(text);
    bytes += block.length;
    if (bytes > MOST_BYTES) {
      const most = MOST_BYTES >> 20;
      throw new AppError(
        'bad_query',
        `the answer is longer than ${most} MiB; ask for fewer rows with limit and offset`,
      );
    }
    blocks.push(block);
    text = '';
  };
  for (const piece of pieces) {
    text += piece;
    if (text.length >= BLOCK) encode();
  }
  encode();
  return blocks.length === 1 ? blocks[0]! : joinedParts(blocks);
}

/**
 * CSV as in RFC 4180, with a header row and CRLF. Missing cells are empty; quoted where nothing else is in the row, since most
 * readers skip blank lines. Texts that a spreadsheet would run as a formula get a leading `'`; numbers, and texts that spell one,
 * never do.
 */
function* formatCsv(table: Table, zone: Zone): Iterable<string> {
  yield csvLine(table.columns.map((column) => textField(column.name)));
  yield* formatCsvRows(table, zone);
}

function* formatCsvRows(table: Table, zone: Zone): Iterable<string> {
  for (const row of table.rows) yield csvLine(table.columns.map((column, i) => field(row[i] ?? null, column, zone)));
}

function csvLine(fields: readonly string[]): string {
  return `${fields.join(',') || '""'}\r\n`;
}

function field(cell: Cell, column: TableColumn, zone: Zone): string {
  const text = cellText(cell, column, zone);
  if (text === null) return '';
  return isNumberCell(cell, column) ? text : textField(text);
}

/** An empty text is quoted, to differ from a missing one. */
function textField(text: string): string {
  return text === '' ? '""' : csvField(text);
}
