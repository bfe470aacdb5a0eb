/**
 * Finds the texts of a shard's dictionaries that are still used. Dictionaries are append-only: texts of erased events, of
 * segments dropped by retention and of failed requests stay in them until somebody looks.
 */
import { checkedBytes, sumOf, type StoredBytes } from '../file/stored-bytes.ts';
import { allBindings } from '../file/bindings.ts';
import { decodeTexts, encodeTexts, TYPE_CODES, type TextList } from '../segment/encoding/texts.ts';
import { COLUMN, CORE_COLUMNS } from '../segment/columns.ts';
import type { StoredSegment } from '../segment/stored-segment.ts';
import type { Connection } from '../file/shard-file.ts';
import { eraseTextKeys } from '../dictionary/text-runs.ts';

export class UsedTexts {
  /** By dictionary number, then by code: 1 if used. */
  readonly #codes = new Map<number, Uint8Array>();

  /** Marks the texts of a segment's rows as used, except for rows in `gone` (ascending). */
  addSegment(segment: StoredSegment, fields: ReadonlyMap<string, number>, gone: Uint32Array): void {
    for (const key of segment.columnKeys()) {
      const column = segment.column(key);
      if (!column?.codes || !column.dictionary || segment.hasOwnDictionary(key)) continue;
      const used = this.#of(dictionaryOf(key, fields.get(key)!), column.dictionary.size);
      const { codes } = column;
      for (let row = 0, g = 0; row < segment.rows; row++) {
        if (gone[g] === row) g++;
        else used[codes[row]!] = 1;
      }
    }
  }

  /** Marks the ids of bindings and profiles as used. */
  addPersons(connection: Connection): void {
    for (const { user, device } of allBindings(connection)) {
      const used = this.#of(COLUMN.userId, Math.max(user, device));
      used[user] = used[device] = 1;
    }
    for (const person of connection.prepare<[], number>('SELECT person FROM profiles').pluck().iterate())
      this.#of(COLUMN.userId, person)[person] = 1;
  }

  /** Blanks all other texts, and removes fields that no segment has. Must run inside the caller's transaction. */
  eraseOthers(connection: Connection): void {
    connection.exec('DELETE FROM fields WHERE id NOT IN (SELECT field FROM columns)');
    const fields = connection.prepare<[], number>('SELECT id FROM fields').pluck().all();
    const known = new Set([...Object.values(CORE_COLUMNS), ...fields]);
    const dictionaries = connection.prepare<[], number>('SELECT DISTINCT field FROM dictionaries').pluck().all();
    for (const field of dictionaries) {
      if (known.has(field)) blank(connection, field, this.#of(field, 0));
      else connection.prepare('DELETE FROM dictionaries WHERE field = ?').run(field);
    }
  }

  #of(dictionary: number, code: number): Uint8Array {
    let used = this.#codes.get(dictionary);
    if (used && used.length > code) return used;
    const larger = new Uint8Array(Math.max(code + 1, (used?.length ?? 0) * 2));
    if (used) larger.set(used);
    used = larger;
    this.#codes.set(dictionary, used);
    return used;
  }
}

const dictionaryOf = (key: string, field: number): number => (key === 'device_id' ? COLUMN.userId : field);

/** Rewrites a dictionary with all unused texts empty. */
function blank(connection: Connection, field: number, used: Uint8Array): void {
  // One chunk at a time: together they may be gigabytes.
  const firsts = connection
    .prepare<[number], number>('SELECT first FROM dictionaries WHERE field = ? ORDER BY first')
    .pluck()
    .all(field);
  const select = connection.prepare<[number, number], StoredBytes>(
    'SELECT data, sum FROM dictionaries WHERE field = ? AND first = ?',
  );
  const update = connection.prepare('UPDATE dictionaries SET data = ?, sum = ? WHERE field = ? AND first = ?');
  for (const first of firsts) {
    const list = blanked(decodeTexts(checkedBytes(select.get(field, first)!)), (i) => used[first + i] !== 1);
    if (!list) continue;
    const data = encodeTexts(list);
    update.run(data, sumOf(data), field, first);
  }
  eraseTextKeys(connection, field, (code) => used[code] !== 1);
}

/** The list without the texts that `isGone` selects; null if that changes nothing. */
function blanked(list: TextList, isGone: (index: number) => boolean): TextList | null {
  const types = list.types.slice();
  const ends = new Uint32Array(list.count);
  const pieces: Uint8Array[] = [];
  let changed = false;
  for (let i = 0, start = 0, end = 0; i < list.count; i++) {
    const text = list.bytes.subarray(start, list.ends[i]!);
    start = list.ends[i]!;
    if (isGone(i)) {
      changed ||= text.length > 0 || types[i] !== TYPE_CODES.null;
      types[i] = TYPE_CODES.null;
    } else {
      pieces.push(text);
      end += text.length;
    }
    ends[i] = end;
  }
  return changed ? { count: list.count, types, ends, bytes: Buffer.concat(pieces) } : null;
}
