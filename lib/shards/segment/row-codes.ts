import { GrowableUint32 } from '../../base/growable.ts';

/** Codes of ascending rows. Their numbers are not kept while all rows so far have one, since most fields are part of every event. */
export class RowCodes {
  readonly #rows = new GrowableUint32();
  readonly #codes = new GrowableUint32();
  #isDense = true;

  get length(): number {
    return this.#codes.length;
  }

  /** A view, valid until something is pushed. */
  get values(): Uint32Array {
    return this.#codes.values.subarray(0, this.#codes.length);
  }

  push(row: number, code: number): void {
    if (this.#isDense && row !== this.#codes.length) this.#keepRows();
    if (!this.#isDense) this.#rows.push(row);
    this.#codes.push(code);
  }

  /** Drops the codes of rows from `rows` on. */
  truncate(rows: number): void {
    const [own, codes] = [this.#rows, this.#codes];
    if (this.#isDense) codes.length = Math.min(codes.length, rows);
    while (own.length > 0 && own.values[own.length - 1]! >= rows) codes.length = --own.length;
  }

  /** The row of each code, as a view; null if all of `count` rows have one. */
  rowsOf(count: number): Uint32Array | null {
    if (this.#isDense && this.#codes.length === count) return null;
    if (this.#isDense) this.#keepRows();
    return this.#rows.values.subarray(0, this.#rows.length);
  }

  #keepRows(): void {
    this.#isDense = false;
    for (let row = 0; row < this.#codes.length; row++) this.#rows.push(row);
  }
}
