/** Who rows are of. */

export function ownPersons(bound: usize, known: u32, count: u32, out: usize): void {
  for (let code: u32 = 0; code < count; code++) {
    const person = code < known ? load<u32>(bound + code * 4) : 0;
    store<u32>(out + code * 4, person == 0 ? code : person);
  }
}

export function preferWords(words: usize, count: u32, out: usize): void {
  const none = i32x4.splat(0);
  for (const end = out + count * 4; out < end; words += 16, out += 16) {
    const own = v128.load(words);
    v128.store(out, v128.bitselect(v128.load(out), own, i32x4.eq(own, none)));
  }
}
