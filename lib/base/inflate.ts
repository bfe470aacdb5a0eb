/** Decompresses bodies as received, bounded while they inflate. */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { AppError, codeOf } from './errors.ts';

export type Encoding = 'identity' | 'gzip' | 'deflate' | 'br';

/**
 * The body without its Content-Encoding, at most `limit` bytes. Throws AppError `payload_too_large` beyond the limit (a bomb is
 * stopped as it inflates, so it takes no more memory than that), `bad_encoding` if the body is not what it claims to be.
 */
export function inflate(body: Uint8Array, encoding: Encoding, limit: number): Uint8Array {
  if (encoding === 'identity') {
    if (body.byteLength > limit) throw tooLarge(limit);
    return body;
  }
  try {
    return decompress(body, encoding, limit);
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
  const options = { maxOutputLength: Math.max(limit, 1) };
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

function tooLarge(limit: number): AppError {
  return new AppError(
    'payload_too_large',
    `The body is larger than ${limit.toLocaleString('en')} bytes after decompression.`,
    {
      hints: ['Send it in several requests, or as a stream with Content-Type: application/x-ndjson.'],
    },
  );
}
