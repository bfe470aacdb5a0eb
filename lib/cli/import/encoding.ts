/** Text as UTF-8, whatever it was written in. */
import { isUtf8 } from 'node:buffer';
import { UTF_16BE, UTF_16LE } from '../track/plain-input.ts';
import { peek } from './peek.ts';
import { BYTE } from '../../base/text/byte.ts';

const BYTE_ORDER_MARK = Buffer.from('efbbbf', 'hex');

/**
 * The same text in UTF-8, without a byte order mark. Lines that are not UTF-8 are read as Windows-1252, which Latin-1 is a part of.
 * @param tell Hears once in what it is written, if that is anything else.
 */
export async function* utf8Of(chunks: AsyncIterable<Buffer>, tell: (encoding: string) => void): AsyncGenerator<Buffer> {
  const { first, all } = await peek(chunks);
  const wide = wideEncodingOf(first);
  if (wide !== null) {
    tell('UTF-16');
    const decoder = new TextDecoder(wide);
    for await (const chunk of all) yield Buffer.from(decoder.decode(chunk, { stream: true }));
    return;
  }
  let isFirst = true;
  let isTold = false;
  let kept = Buffer.alloc(0);
  const read = (bytes: Buffer): Buffer => {
    if (isUtf8(bytes)) return bytes;
    if (!isTold) tell('Windows-1252 (Latin-1)');
    isTold = true;
    return byLine(bytes);
  };
  for await (const chunk of all) {
    const start = isFirst && first.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
    isFirst = false;
    const bytes = kept.length === 0 ? chunk.subarray(start) : Buffer.concat([kept, chunk]);
    const end = wholeCharacters(bytes);
    kept = Buffer.from(bytes.subarray(end));
    yield read(bytes.subarray(0, end));
  }
  if (kept.length > 0) yield read(kept);
}

/** By its mark, or by the zeros beside the ASCII that files of records begin with. */
function wideEncodingOf(first: Buffer): 'utf-16le' | 'utf-16be' | null {
  const starts = (mark: Buffer): boolean => first.subarray(0, mark.length).equals(mark);
  if (starts(UTF_16LE.beginning) || (first[0] !== 0 && first[1] === 0)) return 'utf-16le';
  return starts(UTF_16BE.beginning) || (first[0] === 0 && first[1] !== 0 && first.length > 1) ? 'utf-16be' : null;
}

/** Offset after the last character that is whole: of UTF-8, at most three bytes before the end. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return bytes.length;
    if (byte < 0xc0) continue; // it goes on here
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return size > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function byLine(bytes: Buffer): Buffer {
  const latin = new TextDecoder('windows-1252');
  const parts: Buffer[] = [];
  for (let from = 0; from < bytes.length;) {
    const feed = bytes.indexOf(BYTE.lineFeed, from);
    const to = feed < 0 ? bytes.length : feed + 1;
    const line = bytes.subarray(from, to);
    parts.push(isUtf8(line) ? line : Buffer.from(latin.decode(line)));
    from = to;
  }
  return Buffer.concat(parts);
}
