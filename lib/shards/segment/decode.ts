/** The bytes of a segment's columns → typed arrays. The inverse of encode.ts. */
import type { Column } from '../shard-reader.ts';
import { BYTES, HALVES, makeColumn, retireColumns, WORDS, type ColumnLength } from '../../primitives/columns.ts';
import { primitives, wordsAt, type MemoryArray, type Scratch } from '../../primitives/memory.ts';
import type { CodeSize } from '../../primitives/primitives.ts';
import { decodeIntegersBriefly, openIntegers, unpackInto } from './encoding/integers.ts';
import { decodeNumbers } from './encoding/numbers.ts';
import { isByTriple, openCodesByTriple, type DecodedTriples } from './triples.ts';
import { bytesOfTexts } from './encoding/texts.ts';
import { splitSections } from './encoding/sections.ts';

/** Called if a column needs triples. */
export type TriplesOf = () => DecodedTriples;

export type NarrowCodes = Uint8Array | Uint16Array | Uint32Array;

/** A field of a segment. `local`: the encoded texts of its own dictionary; null if codes are of the project's dictionary. */
export interface DecodedField {
  readonly codes: NarrowCodes | null;
  readonly local: Uint8Array | null;
  readonly numbers: Column['numbers'];
}

export function decodeField(bytes: Uint8Array, rows: number, triples: TriplesOf): DecodedField {
  const [codeRows, packed, texts, numberRows, numbers] = splitSections(bytes);
  return {
    codes: packed!.length ? decodeCodes(codeRows!, packed!, rows, triples) : null,
    local: texts!.length ? texts! : null,
    numbers: numbers!.length
      ? { rows: numberRows!.length ? decodeRows(numberRows!) : null, values: decodeNumbers(numbers!) }
      : null,
  };
}

/** A column of codes only, in the narrowest array that holds them. */
export function decodeNarrow(bytes: Uint8Array, triples: TriplesOf): NarrowCodes {
  if (isByTriple(bytes)) {
    const at = triples();
    const { largest, unpack } = openCodesByTriple(bytes, at);
    const size = sizeFor(largest);
    const { length } = at.ofRows;
    return makeCodes(size, { room: length, length }, (out) => unpack(out, size));
  }
  const packed = openIntegers(bytes);
  const size = sizeFor(packed.bound);
  let most = 0;
  const codes = makeCodes(size, packed, (out) => {
    packed.unpack(out, size);
    most = primitives.largest(out, size, packed.length);
  });
  // Usually the widths of the blocks give the right size.
  const least = sizeFor(most);
  if (least === size) return codes;
  retireColumns([codes]);
  return makeCodes(least, packed, (out) => packed.unpack(out, least));
}

/** Like `decodeNarrow`, but as words in the caller's room. */
export function decodeCodesInto(bytes: Uint8Array, triples: TriplesOf, room: Scratch): Uint32Array {
  if (!isByTriple(bytes)) return unpackInto(bytes, room);
  const at = triples();
  const { length } = at.ofRows;
  const address = room.of(length * 4);
  openCodesByTriple(bytes, at).unpack(address, 4);
  return wordsAt(address, length);
}

export function bytesOfField(field: DecodedField): number {
  const { codes, local, numbers } = field;
  return (
    (codes?.byteLength ?? 0) +
    (local ? bytesOfTexts(local) : 0) +
    (numbers ? numbers.values.byteLength + (numbers.rows?.byteLength ?? 0) : 0)
  );
}

/** The arrays of a field that a cache must free when it drops the field. */
export function arraysOfField({ codes, numbers }: Pick<DecodedField, 'codes' | 'numbers'>): readonly MemoryArray[] {
  return [codes, numbers?.rows ?? null, numbers?.values ?? null].filter((array) => array !== null);
}

function decodeCodes(codeRows: Uint8Array, packed: Uint8Array, rows: number, triples: TriplesOf): NarrowCodes {
  if (codeRows.length === 0) return decodeNarrow(packed, triples);
  const at = decodeRows(codeRows);
  const values = decodeIntegersBriefly(packed);
  const size = sizeFor(primitives.largest(values.byteOffset, 4, values.length));
  const dense = makeCodes(size, { room: rows, length: rows }, (out) => viewOf(size, out, rows).fill(0));
  for (let i = 0; i < values.length; i++) dense[at[i]!] = values[i]!;
  retireColumns([at]);
  return dense;
}

function decodeRows(bytes: Uint8Array): Uint32Array {
  const packed = openIntegers(bytes);
  return makeColumn(WORDS, packed, (out) => {
    packed.unpack(out, 4);
    primitives.sumRows(out, packed.length);
  });
}

function makeCodes(size: CodeSize, length: ColumnLength, fill: (address: number) => void): NarrowCodes {
  if (size === 4) return makeColumn(WORDS, length, fill);
  return size === 2 ? makeColumn(HALVES, length, fill) : makeColumn(BYTES, length, fill);
}

function viewOf(size: CodeSize, address: number, length: number): NarrowCodes {
  return size === 4 ? WORDS.at(address, length) : size === 2 ? HALVES.at(address, length) : BYTES.at(address, length);
}

/** Bytes per element of the narrowest array that holds numbers up to `largest`. */
function sizeFor(largest: number): CodeSize {
  if (largest > 0xffff) return 4;
  return largest > 0xff ? 2 : 1;
}
