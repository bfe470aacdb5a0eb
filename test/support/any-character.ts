import fc from 'fast-check';

/**
 * Any character, as the unit of a text: `fc.string({ unit: anyCharacter })`. The library's own `binary` first builds a table of
 * all of Unicode, which takes a process more than a second.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.integer({ min: 0, max: 0xd7_ff }),
    fc.integer({ min: 0xe0_00, max: 0x10_ff_ff }),
  )
  .map((code) => String.fromCodePoint(code));
