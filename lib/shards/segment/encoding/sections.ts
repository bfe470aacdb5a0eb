/** Several byte strings as one: u32 count · u32 length of each · padding · each padded to 8, so typed arrays can view them. */

const pad = (at: number): number => (at + 7) & ~7;

export function joinSections(sections: readonly Uint8Array[]): Uint8Array {
  let length = pad(4 + 4 * sections.length);
  for (const section of sections) length = pad(length + section.length);
  const out = new Uint8Array(length);
  const view = new DataView(out.buffer);
  view.setUint32(0, sections.length, true);
  let at = pad(4 + 4 * sections.length);
  sections.forEach((section, i) => {
    view.setUint32(4 + 4 * i, section.length, true);
    out.set(section, at);
    at = pad(at + section.length);
  });
  return out;
}

/** Views of the sections, aligned to 8 bytes (all is copied once if it is not aligned). Throws if a length does not fit. */
export function splitSections(bytes: Uint8Array): Uint8Array[] {
  const whole = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
  const view = new DataView(whole.buffer, whole.byteOffset, whole.byteLength);
  const count = view.getUint32(0, true);
  const sections: Uint8Array[] = [];
  let at = pad(4 + 4 * count);
  for (let i = 0; i < count; i++) {
    const length = view.getUint32(4 + 4 * i, true);
    if (at + length > whole.length) throw new Error(`section ${i} ends behind its column`);
    sections.push(whole.subarray(at, at + length));
    at = pad(at + length);
  }
  return sections;
}

export const EMPTY = new Uint8Array(0);
