import { handedOver, isShared } from '../../base/growable.ts';
import { packLists, unpackLists, type PackedLists } from '../segment/encoding/texts.ts';
import type { RawField } from '../segment/raw.ts';

/**
 * Values of many fields concatenated, so that few arrays are passed between threads however many fields a project has. Fields of
 * many values stay as they are: their arrays are shared, not copied.
 */
export interface PackedFields {
  /** Of each field: its number, its counts of codes and of numbers, whether it has its own texts, `rows` of its codes, is large. */
  readonly heads: Uint32Array;
  readonly rows: Uint32Array;
  readonly codes: Uint32Array;
  readonly numberRows: Uint32Array;
  readonly numbers: Float64Array;
  readonly texts: PackedLists;
  readonly large: readonly RawField[];
}

const HEAD = 6;

export function packFields(fields: readonly RawField[]): PackedFields {
  const small = fields.filter((field) => !isLarge(field));
  const packed = {
    heads: new Uint32Array(fields.length * HEAD),
    rows: new Uint32Array(sum(small, ({ rows }) => rows?.length ?? 0)),
    codes: new Uint32Array(sum(small, ({ codes }) => codes.length)),
    numberRows: new Uint32Array(sum(small, ({ numbers }) => numbers.length)),
    numbers: new Float64Array(sum(small, ({ numbers }) => numbers.length)),
    texts: packLists(small.flatMap(({ local }) => local ?? [])),
    large: fields.filter(isLarge).map(alone),
  };
  let row = 0;
  let code = 0;
  let number = 0;
  fields.forEach((field, i) => {
    if (isLarge(field)) {
      packed.heads.set([field.field, 0, 0, 0, 0, 1], i * HEAD);
      return;
    }
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
export function unpackFields({ heads, rows, codes, numberRows, numbers, texts, large }: PackedFields): RawField[] {
  const fields: RawField[] = [];
  const lists = unpackLists(texts);
  const others = large.values();
  let row = 0;
  let code = 0;
  let number = 0;
  for (let at = 0; at < heads.length; at += HEAD) {
    if (heads[at + 5] === 1) {
      const next = others.next();
      if (next.done === true) throw new Error('packed fields lack a large one');
      fields.push(next.value);
      continue;
    }
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

const isLarge = ({ rows, codes, numbers }: RawField): boolean =>
  isShared(codes) || isShared(numbers) || (rows !== null && isShared(rows));

/** A field without the memory beside its values, which would be copied along with those that are not shared. */
const alone = (field: RawField): RawField => ({
  ...field,
  rows: field.rows && handedOver(field.rows, field.rows.length),
  codes: handedOver(field.codes, field.codes.length),
  numberRows: handedOver(field.numberRows, field.numberRows.length),
  numbers: handedOver(field.numbers, field.numbers.length),
});

const sum = (fields: readonly RawField[], length: (field: RawField) => number): number =>
  fields.reduce((total, field) => total + length(field), 0);
