/** The bytes of a segment's columns → typed arrays. The other side of encode.ts. */
import type { Column } from '../column.ts';
import { boundsOfLargest, decodeIntegers, decodeIntegersBriefly } from '../encoding/integers.ts';
import { decodeNumbers } from '../encoding/numbers.ts';
import { splitSections } from '../encoding/sections.ts';

export type Codes = Uint8Array | Uint16Array | Uint32Array;

/** A field of a segment. `local`: the texts, encoded, that only this segment has codes for; null: codes are of the project's dictionary. */
export interface DecodedField {
  readonly codes: Codes | null;
  readonly local: Uint8Array | null;
  readonly numbers: Column['numbers'];
}

export function decodeField(bytes: Uint8Array, rows: number): DecodedField {
  const [codeRows, packed, texts, numberRows, numbers] = splitSections(bytes);
  return {
    codes: packed!.length ? decodeCodes(codeRows!, packed!, rows) : null,
    local: texts!.length ? texts! : null,
    numbers: numbers!.length
      ? { rows: numberRows!.length ? decodeRows(numberRows!) : null, values: decodeNumbers(numbers!) }
      : null,
  };
}

/** A column of nothing but codes, in the narrowest array that holds them. */
export function decodeNarrow(bytes: Uint8Array): Codes {
  const { values, count } = decodeIntegersBriefly(bytes);
  return new (arrayFor(bytes, values, count))(values.subarray(0, count));
}

/** What texts come to, about, once they are decoded, by what they take encoded. */
const INFLATED = 5;

export function bytesOfField(field: DecodedField): number {
  const { codes, local, numbers } = field;
  return (
    (codes?.byteLength ?? 0) +
    (local ? local.byteLength * INFLATED : 0) +
    (numbers ? numbers.values.byteLength + (numbers.rows?.byteLength ?? 0) : 0)
  );
}

function decodeCodes(codeRows: Uint8Array, packed: Uint8Array, rows: number): Codes {
  if (codeRows.length === 0) return decodeNarrow(packed);
  const at = decodeRows(codeRows);
  const { values, count } = decodeIntegersBriefly(packed);
  const dense = new (arrayFor(packed, values, count))(rows);
  for (let i = 0; i < count; i++) dense[at[i]!] = values[i]!;
  return dense;
}

function decodeRows(bytes: Uint8Array): Uint32Array {
  const { values, count } = decodeIntegers(bytes);
  const rows = values.subarray(0, count);
  for (let i = 1; i < count; i++) rows[i]! += rows[i - 1]!;
  return rows;
}

type ArrayOfCodes = Uint8ArrayConstructor | Uint16ArrayConstructor | Uint32ArrayConstructor;

/** The narrowest array that holds all values: mostly the widths of the blocks tell, and the values need not be looked at. */
function arrayFor(packed: Uint8Array, values: Uint32Array, count: number): ArrayOfCodes {
  const { least, most } = boundsOfLargest(packed);
  const [narrowest, widest] = [arrayUpTo(least), arrayUpTo(most)];
  if (narrowest === widest) return widest;
  let all = 0;
  for (let i = 0; i < count; i++) all |= values[i]!;
  return arrayUpTo(all >>> 0);
}

function arrayUpTo(largest: number): ArrayOfCodes {
  if (largest > 0xffff) return Uint32Array;
  return largest > 0xff ? Uint16Array : Uint8Array;
}
