/** Bytes of ASCII by name, for whoever reads JSON and lines without decoding them. */
export const BYTE = {
  lineFeed: 0x0a,
  return: 0x0d,
  quote: 0x22,
  percent: 0x25,
  comma: 0x2c,
  dash: 0x2d,
  colon: 0x3a,
  openArray: 0x5b,
  backslash: 0x5c,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;
