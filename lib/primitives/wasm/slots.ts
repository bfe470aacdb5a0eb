/** Slots, a word per row: the sum of what its bucket and its codes add. And state by slot. */
import { codeAt } from './select';

export function fillWords(out: usize, count: u32, value: u32): void {
  const values = i32x4.splat(value);
  for (const end = out + count * 4; out < end; out += 16) v128.store(out, values);
}

export function addCodes(codes: usize, size: u32, count: u32, out: usize): void {
  if (size == 1) {
    for (let i: u32 = 0; i < count; i += 4, out += 16) {
      const halves = i16x8.extend_low_i8x16_u(v128.load32_zero(codes + i));
      v128.store(out, i32x4.add(v128.load(out), i32x4.extend_low_i16x8_u(halves)));
    }
  } else if (size == 2) {
    for (let i: u32 = 0; i < count; i += 4, out += 16) {
      v128.store(out, i32x4.add(v128.load(out), i32x4.extend_low_i16x8_u(v128.load64_zero(codes + i * 2))));
    }
  } else {
    for (let i: u32 = 0; i < count; i += 4, out += 16) {
      v128.store(out, i32x4.add(v128.load(out), v128.load(codes + i * 4)));
    }
  }
}

export function addTable(codes: usize, size: u32, count: u32, table: usize, out: usize): void {
  for (let i: u32 = 0; i < count; i++, out += 4) {
    store<u32>(out, load<u32>(out) + load<u32>(table + codeAt(codes, size, i) * 4));
  }
}

export function countCodes(codes: usize, size: u32, count: u32, counts: usize, apart: u32): void {
  if (size == 1) countAll<u8>(codes, count, counts, apart * 4);
  else if (size == 2) countAll<u16>(codes, count, counts, apart * 4);
  else countAll<u32>(codes, count, counts, apart * 4);
}

function countAll<T>(codes: usize, count: u32, counts: usize, apart: u32): void {
  const second = counts + apart;
  const third = second + apart;
  const fourth = third + apart;
  let i: u32 = 0;
  for (; i + 4 <= count; i += 4) {
    const at = codes + i * sizeof<T>();
    addOne(counts + <u32>load<T>(at) * 4);
    addOne(second + <u32>load<T>(at, sizeof<T>()) * 4);
    addOne(third + <u32>load<T>(at, 2 * sizeof<T>()) * 4);
    addOne(fourth + <u32>load<T>(at, 3 * sizeof<T>()) * 4);
  }
  for (; i < count; i++) addOne(counts + <u32>load<T>(codes + i * sizeof<T>()) * 4);
}

function addOne(at: usize): void {
  store<u32>(at, load<u32>(at) + 1);
}

export function countMasked(codes: usize, size: u32, mask: usize, count: u32, counts: usize, apart: u32): void {
  if (size == 1) countThose<u8>(codes, mask, count, counts, apart);
  else if (size == 2) countThose<u16>(codes, mask, count, counts, apart);
  else countThose<u32>(codes, mask, count, counts, apart);
}

function countThose<T>(codes: usize, mask: usize, count: u32, counts: usize, apart: u32): void {
  const second = counts + apart * 4;
  const pairs = count & ~1;
  let i: u32 = 0;
  for (; i < pairs; i += 2) {
    const at = codes + i * sizeof<T>();
    add(counts + <u32>load<T>(at) * 4, load<u8>(mask + i));
    add(second + <u32>load<T>(at, sizeof<T>()) * 4, load<u8>(mask + i, 1));
  }
  if (i < count) add(counts + <u32>load<T>(codes + i * sizeof<T>()) * 4, load<u8>(mask + i));
}

function add(at: usize, value: u32): void {
  store<u32>(at, load<u32>(at) + value);
}

export function sumApart(counts: usize, slots: u32, out: usize): void {
  const stride = slots * 4;
  for (let i: u32 = 0; i < stride; i += 4) {
    const at = counts + i;
    const sum = load<u32>(at) + load<u32>(at + stride) + load<u32>(at + stride * 2) + load<u32>(at + stride * 3);
    store<u32>(out + i, load<u32>(out + i) + sum);
  }
}
