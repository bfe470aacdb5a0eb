/** Recently used fields of a project, by the numbers that the scanner gives keys, so that their keys need no lookup. */
import { NO_WORDS } from '../../../base/growable.ts';
import type { PendingField } from './pending-field.ts';

/** A power of two. Numbers that share an index replace each other. */
const PLACES = 64;

export class FieldsByColumn {
  /** Allocated at the first field: thousands of projects have none. */
  #columns = NO_WORDS;
  readonly #fields: PendingField[] = [];

  /** The field of a column; null if not known. */
  field(column: number): PendingField | null {
    const place = column & (PLACES - 1);
    return column !== 0 && this.#columns[place] === column ? this.#fields[place]! : null;
  }

  /** Column 0 means none. */
  set(column: number, field: PendingField): void {
    if (column === 0) return;
    if (this.#columns.length === 0) this.#columns = new Uint32Array(PLACES);
    this.#columns[column & (PLACES - 1)] = column;
    this.#fields[column & (PLACES - 1)] = field;
  }
}
