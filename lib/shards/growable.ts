/** Typed arrays that grow by half, for columns of rows that wait to be sealed. */

export class GrowableUint32 {
  values: Uint32Array;
  length = 0;
  constructor(capacity = 16) {
    this.values = new Uint32Array(capacity);
  }
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
  values: Float64Array;
  length = 0;
  constructor(capacity = 16) {
    this.values = new Float64Array(capacity);
  }
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
  values: Uint8Array;
  length = 0;
  constructor(capacity = 16) {
    this.values = new Uint8Array(capacity);
  }
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
