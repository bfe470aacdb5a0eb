/**
 * Receives bodies, bounded in bytes, in time, and in total. They are only collected here; /track and /identify pass them unread
 * to the store's threads.
 */
import { monotonic } from '../../base/monotonic.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import PQueue from 'p-queue';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { Ledger } from '../../base/ledger.ts';
import { AppError } from '../../base/errors.ts';
import { hasZlibHeader, inflated, trailing, type Encoding } from '../../base/inflate.ts';
import type { Tenant } from '../../base/project.ts';
import { inflatersOf, StreamRooms } from './stream-room.ts';
import { readJson } from '../../base/text/read-json.ts';

const ENCODINGS: ReadonlyMap<string, Encoding> = new Map([
  ['', 'identity'],
  ['identity', 'identity'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
]);

const INFLATE = {
  gzip: promisify(gunzip),
  zlib: promisify(inflate),
  deflate: promisify(inflateRaw),
  br: promisify(brotliDecompress),
};

/** Smaller chunks are copied together: each keeps alive what it was read with, up to 64 KiB. Bytes, and of what they are copied to. */
const SMALL = 1_024;
const GATHERED = 16_384;

/** The encoding of a body. Throws 400 if it is unknown or several are combined. */
export function encodingOf(request: IncomingMessage): Encoding {
  const header = request.headers['content-encoding'];
  if (header === undefined) return 'identity';
  const encoding = ENCODINGS.get(header.trim().toLowerCase());
  if (encoding !== undefined) return encoding;
  throw new AppError('bad_encoding', `Content-Encoding ${JSON.stringify(header.slice(0, 40))} is not supported.`, {
    hints: ['Send gzip, deflate, br, or no Content-Encoding.'],
  });
}

const LINES = /^application\/(?:x-ndjson|ndjson|jsonl)\s*(?:;|$)/i;

/** Whether a body is a stream of lines (NDJSON). */
export function isOfLines({ headers }: IncomingMessage): boolean {
  return LINES.test(headers['content-type'] ?? '');
}

export function bodyTooLarge(limit: number, hint: string): AppError {
  return new AppError('payload_too_large', `The body is larger than ${limit.toLocaleString('en')} bytes.`, {
    hints: [hint],
  });
}

/** Throws 413 if the declared length is over `limit` bytes: before any of it is read. */
export function checkLength(request: IncomingMessage, limit: number, hint: string): void {
  const length = request.headers['content-length'];
  if (length !== undefined && Number(length) > limit) throw bodyTooLarge(limit, hint);
}

/** Whether a client asks before it sends its body. In HTTP/1.0 nobody can, whatever the header says (RFC 9110, 10.1.1). */
export function asksFirst({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersion !== '1.0';
}

/** Tells a client that asked first (`Expect: 100-continue`) to send. */
export function askForBody(request: IncomingMessage, response: ServerResponse): void {
  if (asksFirst(request)) response.writeContinue();
}

/** Of small bodies, so many are inflated at a time: Brotli takes up to 17 MiB for each, whatever its length. */
const inflating = new PQueue({ concurrency: 2 });

/** Inflates a small body of at most `limit` bytes, off the event loop. */
export async function inflateSmall(body: Uint8Array, encoding: Encoding, limit: number): Promise<Uint8Array> {
  if (encoding === 'identity') return body;
  const { bytes, taken } = inflated(await inflating.add(() => decompress(body, encoding, limit)));
  const rest = body.byteLength - taken;
  if (rest > 0) throw trailing(rest, encoding);
  return bytes;
}

async function decompress(body: Uint8Array, encoding: Exclude<Encoding, 'identity'>, limit: number): Promise<unknown> {
  try {
    const form = encoding === 'deflate' && hasZlibHeader(body) ? 'zlib' : encoding;
    return await INFLATE[form](body, { maxOutputLength: limit, info: true });
  } catch (error) {
    if (error instanceof RangeError) throw bodyTooLarge(limit, 'Send less.');
    throw new AppError('bad_encoding', `The body is not valid ${encoding}.`);
  }
}

/** The sender of small bodies that belong to no project. */
const NOBODY: Tenant = { id: 'nobody', orgId: 'nobody', weight: 1 };

interface Reading {
  readonly since: number;
  readonly giveUp: (error: AppError) => void;
}

/** Receives the bodies of a service. */
export class BodyReceiver {
  readonly #shares: Ledger;
  /** Of streams, whose bytes count as those of bodies. */
  readonly streams: StreamRooms;
  readonly #timeoutMs: number;
  /** The one that began first is the first. */
  readonly #readings = new Set<Reading>();
  readonly #sweeper: NodeJS.Timeout;

  /** At most `totalLimit` bytes of unfinished bodies at once, of which everybody has a share, and `timeoutMs` for each body. */
  constructor(totalLimit: number, timeoutMs: number) {
    this.#shares = new Ledger(totalLimit);
    this.streams = new StreamRooms(this.#shares);
    this.#timeoutMs = timeoutMs;
    this.#sweeper = setInterval(() => this.#sweep(), 1_000).unref();
  }

  /** Bytes of bodies that are still incomplete. */
  heldBy(projectId: string): number {
    const inflaters = inflatersOf({ id: projectId, orgId: '', weight: 1 }).id;
    return this.#shares.heldBy(projectId) + this.#shares.heldBy(inflaters);
  }

  get receivedBytes(): number {
    return this.#shares.total;
  }

  /**
   * The whole body, in memory that nobody else writes to. Rejects with
   * 413 over `limit` bytes, 429 when the tenant or all have too much in flight, 400 when it takes too long or breaks off.
   */
  receive(
    request: IncomingMessage,
    response: ServerResponse,
    { limit, hint, tenant = NOBODY }: { limit: number; hint: string; tenant?: Tenant },
  ): Promise<Uint8Array<ArrayBuffer>> {
    checkLength(request, limit, hint);
    askForBody(request, response);
    return new Promise((resolve, reject) => {
      const chunks: Buffer<ArrayBuffer>[] = [];
      let room: { readonly bytes: Buffer<ArrayBuffer>; used: number } | null = null; // of the last of them
      let length = 0;
      let taken = 0;
      const finish = (): void => {
        this.#readings.delete(reading);
        this.#shares.give(tenant, taken);
        this.streams.freed();
        request.removeListener('data', take).removeListener('end', done).removeListener('close', cut);
      };
      const fail = (error: AppError): void => {
        finish();
        reject(error);
      };
      const take = (chunk: Buffer<ArrayBuffer>): void => {
        length += chunk.length;
        if (length > limit) return fail(bodyTooLarge(limit, hint));
        if (!this.#shares.take(tenant, chunk.length)) {
          return fail(new AppError('overloaded', 'Too many bodies are being received.'));
        }
        taken += chunk.length;
        if (chunks.length === 0 || chunk.length >= SMALL) {
          chunks.push(chunk);
          room = null;
          return;
        }
        if (room === null || room.used + chunk.length > GATHERED) {
          room = { bytes: Buffer.allocUnsafeSlow(GATHERED), used: 0 };
          chunks.push(room.bytes);
        }
        room.bytes.set(chunk, room.used);
        room.used += chunk.length;
        chunks[chunks.length - 1] = room.bytes.subarray(0, room.used);
      };
      const done = (): void => {
        finish();
        resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length));
      };
      const cut = (): void => fail(new AppError('bad_request', 'The body broke off.'));
      const reading = { since: monotonic(), giveUp: fail };
      this.#readings.add(reading);
      request.on('data', take).on('end', done).on('close', cut);
    });
  }

  /** Stops looking for slow bodies. */
  close(): void {
    clearInterval(this.#sweeper);
  }

  #sweep(): void {
    const oldest = monotonic() - this.#timeoutMs;
    for (const reading of this.#readings) {
      if (reading.since > oldest) break;
      reading.giveUp(new AppError('bad_request', `The body did not arrive within ${this.#timeoutMs / 1_000} s.`));
    }
    this.streams.giveUp(oldest);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The value of a body. Throws AppError 400 if it is not JSON in UTF-8. */
export function parseBody(bytes: Uint8Array): unknown {
  try {
    return readJson(utf8.decode(bytes));
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : 'it is not valid UTF-8';
    throw new AppError('bad_json', `The body is not JSON: ${why}.`);
  }
}

const BROKEN = 'windlass:broken';

/** Calls `tell` once if the body breaks so. Whoever asks for it must answer the request then. */
export function onBroken(request: IncomingMessage, tell: () => void): void {
  request.once(BROKEN, tell);
}

/** Tells who has asked. False: nobody has. */
export function tellBroken(request: IncomingMessage): boolean {
  return request.emit(BROKEN);
}
