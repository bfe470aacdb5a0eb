/**
 * Typed arrays that grow by half, for columns of rows waiting to be sealed. Thousands of projects have about a hundred each,
 * mostly empty, and one takes 400 bytes besides its values: so all empty ones are the same object.
 */
export const NO_FLOATS = new Float64Array(0);
export const NO_WORDS = new Uint32Array(0);
export const NO_BYTES = new Uint8Array(0);

export class GrowableUint32 {
  values: Uint32Array = NO_WORDS;
  length = 0;
  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Uint32Array(this.length + (this.length >>> 1) + 8);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }
}

export class GrowableFloat64 {
  values: Float64Array = NO_FLOATS;
  length = 0;
  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Float64Array(this.length + (this.length >>> 1) + 8);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }
}

export class GrowableUint8 {
  values: Uint8Array = NO_BYTES;
  length = 0;
  push(value: number): void {
    this.reserve(1);
    this.values[this.length++] = value;
  }
  append(bytes: Uint8Array, start: number, end: number): void {
    this.reserve(end - start);
    this.values.set(bytes.subarray(start, end), this.length);
    this.length += end - start;
  }
  reserve(more: number): void {
    if (this.length + more <= this.values.length) return;
    const larger = new Uint8Array(this.length + (this.length >>> 1) + more + 8);
    larger.set(this.values.subarray(0, this.length));
    this.values = larger;
  }
}
