/**
 * A table of pairs of words, numbered as they appear: open addressing. A table is five words: how many pairs it has, how many it
 * may have, and the addresses of its entries and of the two parts of pairs by number. It has room for twice as many entries as
 * pairs, a power of two; an entry is three words: the pair, and its number plus one, or 0.
 */

const ENTRY: usize = 12;

export function addPairs(table: usize, firsts: usize, seconds: usize, count: u32, out: usize): u32 {
  let size = load<u32>(table);
  const most = load<u32>(table, 4);
  const entries: usize = load<u32>(table, 8);
  const firstOf: usize = load<u32>(table, 12);
  const secondOf: usize = load<u32>(table, 16);
  const mask = most * 2 - 1;
  for (let i: u32 = 0; i < count; i++) {
    const first = load<u32>(firsts + i * 4);
    const second = load<u32>(seconds + i * 4);
    let at = hash(first, second) & mask;
    let entry = entries + <usize>at * ENTRY;
    let number = load<u32>(entry, 8);
    while (number != 0 && (load<u32>(entry) != first || load<u32>(entry, 4) != second)) {
      at = (at + 1) & mask;
      entry = entries + <usize>at * ENTRY;
      number = load<u32>(entry, 8);
    }
    if (number == 0) {
      if (size == most) {
        store<u32>(table, size);
        return i;
      }
      store<u32>(firstOf + size * 4, first);
      store<u32>(secondOf + size * 4, second);
      number = ++size;
      store<u32>(entry, first);
      store<u32>(entry, second, 4);
      store<u32>(entry, number, 8);
    }
    if (out != 0) store<u32>(out + i * 4, number - 1);
  }
  store<u32>(table, size);
  return count;
}

function hash(first: u32, second: u32): u32 {
  let h = (first * 0x9e3779b1) ^ (second * 0x85ebca6b);
  h = (h ^ (h >> 15)) * 0x2c1b3c6d;
  return h ^ (h >> 13);
}

export function scatterWords(words: usize, rows: usize, count: u32, out: usize): void {
  for (let i: u32 = 0; i < count; i++) store<u32>(out + load<u32>(rows + i * 4) * 4, load<u32>(words + i * 4));
}
