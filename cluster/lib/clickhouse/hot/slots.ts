/**
 * Which properties of a project's events have columns of their own, and which: `hot_text_3` is one property in one project and
 * another in the next. A column is a property's from its first value on, so it has all of them. Pure.
 */

/** Columns for texts, and for numbers. Each costs an insert 20 ns per event. */
export const SLOTS = { text: 24, number: 12 } as const;

export type SlotKind = keyof typeof SLOTS;

/** A kind of values that a property has, in the order of their first occurrence. `slot`: null: it has no column. */
export interface SlotEntry {
  readonly key: string;
  readonly kind: SlotKind;
  readonly slot: number | null;
}

/** A kind of values that was met. `fits`: whether a column would pay. */
export interface MetKind {
  readonly key: string;
  readonly kind: SlotKind;
  readonly fits: boolean;
}

/** Plain data: it crosses threads. */
export interface SlotData {
  readonly entries: readonly SlotEntry[];
  /** No more properties get columns: events were stored without. */
  readonly isClosed: boolean;
}

export class Slots implements SlotData {
  readonly entries: readonly SlotEntry[];
  readonly isClosed: boolean;
  /** Whether properties that are not known yet may get columns. */
  readonly isOpen: boolean;
  readonly #kinds: Readonly<Record<SlotKind, ReadonlyMap<string, number | null>>>;
  readonly #keys: ReadonlySet<string>;

  constructor(entries: readonly SlotEntry[], isClosed = false) {
    const mapOf = (kind: SlotKind): Map<string, number | null> =>
      new Map(entries.flatMap((entry) => (entry.kind === kind ? [[entry.key, entry.slot]] : [])));
    this.entries = entries;
    this.#kinds = { text: mapOf('text'), number: mapOf('number') };
    this.#keys = new Set(entries.map(({ key }) => key));
    this.isClosed = isClosed;
    // Properties of a project that are looked at; those that come later have no columns. The first are mostly the
    // frequent ones.
    this.isOpen = !isClosed && this.#keys.size < 64;
  }

  /** undefined: the property has no such values, if its others have columns. null: they have no column. */
  slotOf(kind: SlotKind, key: string): number | null | undefined {
    return this.#kinds[kind].get(key);
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Whether such values must be noted before an event that has them is stored. */
  isNews(kind: SlotKind, key: string): boolean {
    return !this.#kinds[kind].has(key) && (this.isOpen || this.#keys.has(key));
  }

  /** The columns for what was met, in its order. What needs none is left out. */
  assign(met: readonly MetKind[]): SlotEntry[] {
    const added: SlotEntry[] = [];
    for (const { key, kind, fits } of met) {
      const now = new Slots([...this.entries, ...added], !this.isOpen);
      if (!now.isNews(kind, key)) continue;
      const used = now.entries.filter((entry) => entry.kind === kind && entry.slot !== null).length;
      added.push({ key, kind, slot: fits && used < SLOTS[kind] ? used : null });
    }
    return added;
  }
}

export const NO_SLOTS = new Slots([], true);

/** Whether a text of this length may be the first of a column. */
/** A property whose first texts are longer would not pay as a dictionary. Characters. */
export const isShort = (text: string): boolean => text.length <= 200;

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
