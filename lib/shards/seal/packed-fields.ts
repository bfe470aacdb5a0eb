import { packTexts, unpackTexts, type PackedTexts } from './packed-texts.ts';
import type { RawField } from '../segment/raw.ts';

/** Values of many fields concatenated, so that few arrays are passed between threads however many fields a project has. */
export interface PackedFields {
  /** Of each field: its number, its counts of codes and of numbers, whether it has its own texts, and `rows` of its codes. */
  readonly heads: Uint32Array;
  readonly rows: Uint32Array;
  readonly codes: Uint32Array;
  readonly numberRows: Uint32Array;
  readonly numbers: Float64Array;
  readonly texts: PackedTexts;
}

const HEAD = 5;

export function packFields(fields: readonly RawField[]): PackedFields {
  const codes = fields.reduce((sum, field) => sum + field.codes.length, 0);
  const rows = fields.reduce((sum, field) => sum + (field.rows?.length ?? 0), 0);
  const numbers = fields.reduce((sum, field) => sum + field.numbers.length, 0);
  const packed = {
    heads: new Uint32Array(fields.length * HEAD),
    rows: new Uint32Array(rows),
    codes: new Uint32Array(codes),
    numberRows: new Uint32Array(numbers),
    numbers: new Float64Array(numbers),
    texts: packTexts(fields.flatMap(({ local }) => local ?? [])),
  };
  let row = 0;
  let code = 0;
  let number = 0;
  fields.forEach((field, i) => {
    const has = [field.local, field.rows].map((part) => (part ? 1 : 0));
    packed.heads.set([field.field, field.codes.length, field.numbers.length, ...has], i * HEAD);
    if (field.rows) packed.rows.set(field.rows, row);
    packed.codes.set(field.codes, code);
    packed.numberRows.set(field.numberRows, number);
    packed.numbers.set(field.numbers, number);
    row += field.rows?.length ?? 0;
    code += field.codes.length;
    number += field.numbers.length;
  });
  return packed;
}

/** The fields, as views. */
export function unpackFields({ heads, rows, codes, numberRows, numbers, texts }: PackedFields): RawField[] {
  const fields: RawField[] = [];
  const lists = unpackTexts(texts);
  let row = 0;
  let code = 0;
  let number = 0;
  for (let at = 0; at < heads.length; at += HEAD) {
    const codesEnd = code + heads[at + 1]!;
    const rowsEnd = row + (heads[at + 4] === 1 ? heads[at + 1]! : 0);
    const numbersEnd = number + heads[at + 2]!;
    const local = heads[at + 3] === 1 ? lists.next().value : null;
    if (local === undefined) throw new Error('packed fields lack texts');
    fields.push({
      field: heads[at]!,
      rows: heads[at + 4] === 1 ? rows.subarray(row, rowsEnd) : null,
      codes: codes.subarray(code, codesEnd),
      local,
      numberRows: numberRows.subarray(number, numbersEnd),
      numbers: numbers.subarray(number, numbersEnd),
    });
    row = rowsEnd;
    code = codesEnd;
    number = numbersEnd;
  }
  return fields;
}
