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
  const second = counts + apart * 4;
  const third = second + apart * 4;
  const fourth = third + apart * 4;
  let i: u32 = 0;
  if (size == 1) {
    for (; i + 4 <= count; i += 4) {
      const four = load<u32>(codes + i);
      addOne(counts + (four & 255) * 4);
      addOne(second + ((four >> 8) & 255) * 4);
      addOne(third + ((four >> 16) & 255) * 4);
      addOne(fourth + (four >> 24) * 4);
    }
    for (; i < count; i++) addOne(counts + <u32>load<u8>(codes + i) * 4);
  } else if (size == 2) {
    for (; i + 4 <= count; i += 4) {
      const four = load<u64>(codes + i * 2);
      addOne(counts + <u32>(four & 65535) * 4);
      addOne(second + <u32>((four >> 16) & 65535) * 4);
      addOne(third + <u32>((four >> 32) & 65535) * 4);
      addOne(fourth + <u32>(four >> 48) * 4);
    }
    for (; i < count; i++) addOne(counts + <u32>load<u16>(codes + i * 2) * 4);
  } else {
    for (; i + 4 <= count; i += 4) {
      addOne(counts + load<u32>(codes + i * 4) * 4);
      addOne(second + load<u32>(codes + i * 4, 4) * 4);
      addOne(third + load<u32>(codes + i * 4, 8) * 4);
      addOne(fourth + load<u32>(codes + i * 4, 12) * 4);
    }
    for (; i < count; i++) addOne(counts + load<u32>(codes + i * 4) * 4);
  }
}

function addOne(at: usize): void {
  store<u32>(at, load<u32>(at) + 1);
}

export function countMasked(codes: usize, size: u32, mask: usize, count: u32, counts: usize, apart: u32): void {
  const second = counts + apart * 4;
  const pairs = count & ~1;
  let i: u32 = 0;
  if (size == 1) {
    for (; i < pairs; i += 2) {
      add(counts + <u32>load<u8>(codes + i) * 4, load<u8>(mask + i));
      add(second + <u32>load<u8>(codes + i, 1) * 4, load<u8>(mask + i, 1));
    }
    if (i < count) add(counts + <u32>load<u8>(codes + i) * 4, load<u8>(mask + i));
  } else if (size == 2) {
    for (; i < pairs; i += 2) {
      add(counts + <u32>load<u16>(codes + i * 2) * 4, load<u8>(mask + i));
      add(second + <u32>load<u16>(codes + i * 2, 2) * 4, load<u8>(mask + i, 1));
    }
    if (i < count) add(counts + <u32>load<u16>(codes + i * 2) * 4, load<u8>(mask + i));
  } else {
    for (; i < pairs; i += 2) {
      add(counts + load<u32>(codes + i * 4) * 4, load<u8>(mask + i));
      add(second + load<u32>(codes + i * 4, 4) * 4, load<u8>(mask + i, 1));
    }
    if (i < count) add(counts + load<u32>(codes + i * 4) * 4, load<u8>(mask + i));
  }
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
