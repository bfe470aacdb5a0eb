/** Decompresses bodies as received, bounded while they inflate. */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { AppError, codeOf } from './errors.ts';
import { isRecord } from './is-record.ts';

export type Encoding = 'identity' | 'gzip' | 'deflate' | 'br';

/**
 * The body without its Content-Encoding, at most `limit` bytes. Throws AppError `payload_too_large` beyond the limit (a bomb is
 * stopped as it inflates, so it takes no more memory than that), `bad_encoding` if the body is not what it claims to be, or more.
 */
export function inflate(body: Uint8Array, encoding: Encoding, limit: number): Uint8Array {
  const { bytes, rest } = open(body, encoding, limit);
  if (rest > 0) throw trailing(rest, encoding);
  return bytes;
}

/** The same of a body that was accepted, maybe by a release that took no notice of what followed the compressed data. */
export function inflateAccepted(body: Uint8Array, encoding: Encoding, limit: number): Uint8Array {
  return open(body, encoding, limit).bytes;
}

/** @param rest Bytes of the body that follow the end of its compressed data. */
export function trailing(rest: number, encoding: Encoding): AppError {
  return new AppError(
    'bad_encoding',
    `The body goes on for ${rest.toLocaleString('en')} bytes after the end of its ${encoding} data.`,
    { hints: ['Send compressed data and nothing after it, with its Content-Length.'] },
  );
}

/** What a function of zlib returned with the option `info`, which its types leave out. `taken`: bytes of the body that it took. */
export function inflated(returned: unknown): { readonly bytes: Uint8Array; readonly taken: number } {
  if (isRecord(returned) && isRecord(returned['engine'])) {
    const bytes = returned['buffer'];
    const taken = returned['engine']['bytesWritten'];
    if (bytes instanceof Uint8Array && typeof taken === 'number') return { bytes, taken };
  }
  throw new TypeError('zlib does not say how many bytes it took');
}

function open(
  body: Uint8Array,
  encoding: Encoding,
  limit: number,
): { readonly bytes: Uint8Array; readonly rest: number } {
  if (encoding === 'identity') {
    if (body.byteLength > limit) throw tooLarge(limit);
    return { bytes: body, rest: 0 };
  }
  try {
    const { bytes, taken } = inflated(decompress(body, encoding, limit));
    return { bytes, rest: body.byteLength - taken };
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
    throw new AppError(
      'bad_encoding',
      `The body is not valid ${encoding} data, which its Content-Encoding says it is.`,
      {
        hints: ['Send the body as it is, without Content-Encoding, or compress it whole.'],
      },
    );
  }
}

function decompress(body: Uint8Array, encoding: 'gzip' | 'deflate' | 'br', limit: number) {
  const options = { maxOutputLength: Math.max(limit, 1), info: true };
  switch (encoding) {
    case 'gzip':
      return gunzipSync(body, options);
    case 'deflate':
      return hasZlibHeader(body) ? inflateSync(body, options) : inflateRawSync(body, options);
    case 'br':
      return brotliDecompressSync(body, options);
  }
}

/** HTTP's `deflate` is the zlib format, but some clients send the raw stream. @param body Its first bytes: one nearly always tells. */
export function hasZlibHeader(body: Uint8Array): boolean {
  const [first = 0, second] = body;
  return (first & 0x0f) === 8 && (second === undefined || ((first << 8) | second) % 31 === 0);
}

/** Of zlib: its window, its state and the chunk that it writes to. Of Brotli, besides the window: tables and such a chunk. Bytes. */
const ZLIB_BYTES = 114_688;
const BROTLI_BYTES = 1 << 20;

/** Bytes that an inflater of a stream takes. @param first At least one byte of the stream. */
export function inflaterBytes(encoding: 'gzip' | 'deflate' | 'br', first: Uint8Array): number {
  return encoding === 'br' ? BROTLI_BYTES + 2 ** brotliWindowBits(first[0] ?? 0) : ZLIB_BYTES;
}

/** The size of a Brotli stream's window (RFC 7932, 9.1: WBITS). A large window, which the RFC does not know, is refused by the inflater. */
function brotliWindowBits(first: number): number {
  if ((first & 1) === 0) return 16;
  const high = (first >> 1) & 7;
  if (high > 0) return 17 + high;
  const low = (first >> 4) & 7;
  return low < 2 ? 17 : 8 + low;
}

function tooLarge(limit: number): AppError {
  return new AppError(
    'payload_too_large',
    `The body is larger than ${limit.toLocaleString('en')} bytes after decompression.`,
    {
      hints: ['Send it in several requests, or as a stream with Content-Type: application/x-ndjson.'],
    },
  );
}
