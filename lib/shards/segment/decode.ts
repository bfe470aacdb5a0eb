/** The bytes of a segment's columns → typed arrays. The other side of encode.ts. */
import type { Column } from '../column.ts';
import { decodeIntegers } from '../encoding/integers.ts';
import { decodeNumbers } from '../encoding/numbers.ts';
import { splitSections } from '../encoding/sections.ts';
import { decodeTexts, type TextList } from '../encoding/texts.ts';

export type Codes = Uint8Array | Uint16Array | Uint32Array;

/** A field of a segment. `local`: the texts that only this segment has codes for; null: codes are of the project's dictionary. */
export interface DecodedField {
  readonly codes: Codes | null;
  readonly local: TextList | null;
  readonly numbers: Column['numbers'];
}

export function decodeField(bytes: Uint8Array, rows: number): DecodedField {
  const [codeRows, packed, texts, numberRows, numbers] = splitSections(bytes);
  return {
    codes: packed!.length ? decodeCodes(codeRows!, packed!, rows) : null,
    local: texts!.length ? decodeTexts(texts!) : null,
    numbers: numbers!.length
      ? { rows: numberRows!.length ? decodeRows(numberRows!) : null, values: decodeNumbers(numbers!) }
      : null,
  };
}

/** A column of nothing but codes, in the narrowest array that holds them. */
export function decodeNarrow(bytes: Uint8Array): Codes {
  const { values, count } = decodeIntegers(bytes);
  return narrow(values, count);
}

export function bytesOfField(field: DecodedField): number {
  const { codes, local, numbers } = field;
  return (
    (codes?.byteLength ?? 0) +
    (local ? local.bytes.length + local.ends.byteLength + local.types.length : 0) +
    (numbers ? numbers.values.byteLength + (numbers.rows?.byteLength ?? 0) : 0)
  );
}

function decodeCodes(codeRows: Uint8Array, packed: Uint8Array, rows: number): Codes {
  if (codeRows.length === 0) return decodeNarrow(packed);
  const { values, count } = decodeIntegers(packed);
  const at = decodeRows(codeRows);
  const dense = new Uint32Array(rows);
  for (let i = 0; i < count; i++) dense[at[i]!] = values[i]!;
  return narrow(dense, rows);
}

function decodeRows(bytes: Uint8Array): Uint32Array {
  const { values, count } = decodeIntegers(bytes);
  const rows = values.subarray(0, count);
  for (let i = 1; i < count; i++) rows[i]! += rows[i - 1]!;
  return rows;
}

function narrow(values: Uint32Array, count: number): Codes {
  let all = 0;
  for (let i = 0; i < count; i++) all |= values[i]!;
  const used = values.subarray(0, count);
  if (all >>> 0 > 0xffff) return used;
  return all > 0xff ? Uint16Array.from(used) : Uint8Array.from(used);
}
