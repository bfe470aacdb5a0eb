/** Fields of a project by the numbers that the scanner gives keys: those of late, so that their keys are not looked up. */
import { NO_WORDS } from '../../../base/growable.ts';
import type { PendingField } from './pending-field.ts';

/** A power of two; of numbers that share a place the last is known. */
const PLACES = 64;

export class FieldsByColumn {
  /** Made with the first: thousands of projects have none. */
  #columns = NO_WORDS;
  readonly #fields: PendingField[] = [];

  /** The field of a column; null: it is not known. */
  field(column: number): PendingField | null {
    const place = column & (PLACES - 1);
    return column !== 0 && this.#columns[place] === column ? this.#fields[place]! : null;
  }

  /** Column 0 is none. */
  set(column: number, field: PendingField): void {
    if (column === 0) return;
    if (this.#columns.length === 0) this.#columns = new Uint32Array(PLACES);
    this.#columns[column & (PLACES - 1)] = column;
    this.#fields[column & (PLACES - 1)] = field;
  }
}
