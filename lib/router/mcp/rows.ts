/** Rows as tools answer them: at most so many bytes, cut after a whole row, and saying so. */
import { readJson } from '../../base/text/read-json.ts';
import { isRecord, type JsonRecord } from '../../base/is-record.ts';
import { BYTE } from '../../base/text/byte.ts';

/** The structured content of an answer with rows. */
export interface Rows {
  /** Names, in order. */
  readonly columns: readonly string[];
  readonly rows: readonly JsonRecord[];
  /** How many there are without limit and offset. */
  readonly total: number;
  /** Whether rows that were asked for are missing, as all would be too long. */
  readonly truncated: boolean;
  /** The offset of the next row; null: there is none. */
  readonly next_offset: number | null;
  readonly notes: readonly string[];
}

interface Found extends Pick<Rows, 'columns' | 'total' | 'notes'> {
  readonly rows: readonly JsonRecord[];
  /** Rows that the request asked for and that exist. */
  readonly wanted: number;
  readonly offset: number;
}

/** As many whole rows as have room in `most` bytes together with what is told beside them. */
export function cutRows({ columns, rows, total, wanted, offset, notes }: Found, most: number): Rows {
  // Bytes that the other fields and a note on the cut may take.
  let room = most - 512 - Buffer.byteLength(JSON.stringify([columns, notes]));
  const fitting = rows.findIndex((row) => (room -= Buffer.byteLength(JSON.stringify(row)) + 1) < 0);
  const kept = fitting < 0 ? rows : rows.slice(0, fitting);
  const truncated = kept.length < wanted;
  const isTooLong = truncated && kept.length === 0; // whoever asked for it again would get nothing again
  const next = offset + (isTooLong ? 1 : kept.length);
  return {
    ...{ columns, rows: kept, total, truncated, next_offset: next < total ? next : null },
    notes: truncated ? [...notes, isTooLong ? tooLong(offset, most) : cutNote(kept.length, wanted, most)] : notes,
  };
}

const cutNote = (kept: number, wanted: number, most: number): string =>
  `Cut after ${kept} of ${wanted} rows, at ${most.toLocaleString('en')} bytes: go on at next_offset, or ask for fewer columns.`;

const tooLong = (offset: number, most: number): string =>
  `Row ${offset} alone is longer than ${most.toLocaleString('en')} bytes and left out: choose its columns, as in \`list time, event_type\`.`;

/** The objects at the start of a JSON array that lie wholly in its first `most` bytes. */
export function parsedRows(json: Uint8Array, most: number): readonly JsonRecord[] {
  const rows: JsonRecord[] = [];
  const end = Math.min(json.length, most);
  let [depth, start, inText] = [0, 0, false];
  for (let at = 0; at < end; at++) {
    const byte = json[at];
    if (byte === BYTE.backslash)
      at++; // only texts have it
    else if (byte === BYTE.quote) inText = !inText;
    else if (inText) continue;
    else if (byte === BYTE.openObject) start = depth++ === 0 ? at : start;
    else if (byte === BYTE.closeObject && --depth === 0) rows.push(rowOf(json.subarray(start, at + 1)));
  }
  return rows;
}

const utf8 = new TextDecoder();

function rowOf(bytes: Uint8Array): JsonRecord {
  const row: unknown = readJson(utf8.decode(bytes));
  if (!isRecord(row)) throw new Error('an answer has a row that is no object');
  return row;
}
