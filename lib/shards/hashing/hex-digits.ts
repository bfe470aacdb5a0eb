/** By byte: the value of a lower-case hexadecimal digit; -1 for any other character. */
export const HEX_DIGITS = new Int8Array(256).fill(-1);
for (let digit = 0; digit < 16; digit++) HEX_DIGITS[digit.toString(16).charCodeAt(0)] = digit;
