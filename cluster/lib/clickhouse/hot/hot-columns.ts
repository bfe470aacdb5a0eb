/** The columns for the frequent properties of projects, and what is inserted for them. */
import { SLOTS, type SlotKind } from './slots.ts';

const TYPES: Readonly<Record<SlotKind, string>> = {
  text: 'LowCardinality(Nullable(String)) CODEC(ZSTD(1))',
  number: 'Nullable(Float64) CODEC(ZSTD(1))',
};

/** The column's name. */
export const hotColumn = (kind: SlotKind, slot: number): string => `hot_${kind}_${slot}`;

/**
 * One text and one number for each column, up to the last that the row has, and whether the row was made so: 60 values more in each
 * row would cost ClickHouse twice as much to read.
 */
export const HOT_SENT = [
  ['hot_texts', 'Array(Nullable(String))'],
  ['hot_numbers', 'Array(Nullable(Float64))'],
  ['hot', 'UInt8'],
] as const;

const columnsOf = (kind: SlotKind): (readonly [name: string, definition: string])[] =>
  Array.from({ length: SLOTS[kind] }, (_, slot) => {
    const [type = '', codec = ''] = TYPES[kind].split(' CODEC');
    return [hotColumn(kind, slot), `${type} DEFAULT hot_${kind}s[${slot + 1}] CODEC${codec}`];
  });

/** With their definitions. `is_hot`: whether the row's properties are in them. */
export const HOT_COLUMNS: readonly (readonly [name: string, definition: string])[] = [
  ...columnsOf('text'),
  ...columnsOf('number'),
  ['is_hot', 'UInt8 DEFAULT hot CODEC(ZSTD(1))'],
];
