/** What events have for the columns of their project's properties, and what these columns do not know yet. */
import { numberText, type PropertyValue } from '../../../../lib/seam.ts';
import { isShort, NO_SLOTS, type MetKind, type SlotKind, type Slots } from './slots.ts';

export class HotValues {
  readonly #slots: Slots;
  readonly #met = new Map<string, MetKind>();

  constructor(slots: Slots) {
    this.#slots = slots;
  }

  /** Kinds of values that must be noted first, and the rows made again. */
  get met(): readonly MetKind[] {
    return [...this.#met.values()];
  }

  /** JSON of the columns in `HOT_SENT`. @param numberOf The number that a value is or spells. */
  row(
    properties: readonly (readonly [key: string, value: PropertyValue])[],
    numberOf: (value: PropertyValue) => number | null,
  ): string {
    const texts: string[] = [];
    const numbers: string[] = [];
    for (const [key, value] of properties) {
      if (typeof value !== 'number' && value.type !== 'null') {
        const fits = value.type !== 'object' && value.type !== 'array' && isShort(value.text);
        const slot = this.#slotOf('text', key, fits);
        if (slot !== null) put(texts, slot, JSON.stringify(value.text));
      }
      const number = numberOf(value);
      if (number === null) continue;
      const slot = this.#slotOf('number', key, true);
      if (slot !== null) put(numbers, slot, numberText(number));
    }
    return `[${texts.join(',')}],[${numbers.join(',')}],${this.#slots === NO_SLOTS ? 0 : 1}`;
  }

  #slotOf(kind: SlotKind, key: string, fits: boolean): number | null {
    if (this.#slots.isNews(kind, key)) {
      const name = `${kind} ${key}`;
      this.#met.set(name, { key, kind, fits: fits && (this.#met.get(name)?.fits ?? true) });
    }
    return this.#slots.slotOf(kind, key) ?? null;
  }
}

function put(row: string[], slot: number, json: string): void {
  while (row.length < slot) row.push('null');
  row[slot] = json;
}
