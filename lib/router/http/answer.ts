/** Writes answers: whole, with their length, at once. */
import type { ServerResponse } from 'node:http';
import { giveWay } from '../../base/give-way.ts';
import { monotonic } from '../../base/monotonic.ts';
import { VERSION } from '../../base/version.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Alternating names and values. */
export type HeaderList = readonly string[];

/** What `boundAnswer` gave it. */
const BOUND = Symbol('counts the bytes of the answer');

declare module 'node:http' {
  interface ServerResponse {
    [BOUND]?: (bytes: number) => void;
  }
}

export function setHeaders(response: ServerResponse, headers: HeaderList): void {
  for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at]!, headers[at + 1]!);
}

/** Makes `sendText` tell of a large answer before it is sent, which `hold` may refuse by throwing. */
export function boundAnswer(response: ServerResponse, hold: (bytes: number) => void): void {
  response[BOUND] = hold;
}

/** Answers text of a media type. Headers set before stay. */
export function sendText(response: ServerResponse, status: number, type: string, text: string): void {
  const hold = response[BOUND];
  if (hold !== undefined && text.length > ONE_WRITE)
    return sendBound(response, type, [new TextEncoder().encode(text)], status);
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

/** Answers 200 with a text that is always the same, as bytes: to encode it takes most of the time of a long one. */
export function sendBytes(response: ServerResponse, type: string, bytes: Buffer): void {
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': bytes.length });
  response.end(bytes);
}

/**
 * Answers 200 with a text that is long to write: it is made piece by piece, with time for others after each.
 * Nothing is sent before all is made, so an error on the way still has its status. Makes nothing more once the client has left.
 */
export async function sendWritten(
  response: ServerResponse,
  type: string,
  text: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  const pieces: Uint8Array[] = [];
  let began = monotonic();
  for await (const piece of text) {
    pieces.push(new TextEncoder().encode(piece));
    await giveWay(began);
    if (response.destroyed) return;
    began = monotonic();
  }
  sendBound(response, type, pieces, 200);
}

export const CSV_TYPE = 'text/csv; charset=utf-8';

/** Tells of the answer before it sends it, for `boundAnswer`. */
function sendBound(response: ServerResponse, type: string, pieces: readonly Uint8Array[], status: number): void {
  response[BOUND]?.(pieces.reduce((sum, { length }) => sum + length, 0));
  sendPieces(response, type, pieces, status);
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendText(response, status, JSON_TYPE, JSON.stringify(value));
}

/** Answers up to this many bytes go out as one string with their head: gathering pieces takes longer than copying them. */
const ONE_WRITE = 16_384;

/** Bytes that are passed to the system in one turn of the event loop: it copies them, and others wait that long. */
const ONE_TURN = 262_144;

/**
 * Answers pieces of text one after the other; some are already bytes of UTF-8. Whoever passes bytes gives them away: those of a
 * large answer are freed once they are sent.
 */
export function sendPieces(
  response: ServerResponse,
  type: string,
  pieces: readonly (string | Uint8Array)[],
  status = 200,
): void {
  const length = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': length });
  if (length <= ONE_WRITE) return void response.end(pieces.map(textOf).join(''));
  response.once('finish', () => pieces.forEach(free));
  writeInTurns(response, slicesOf(pieces));
}

/** At once: left to V8, answers of some megabytes make it collect the whole heap of the event loop, 10 ms every few answers. */
function free(piece: string | Uint8Array): void {
  if (typeof piece === 'string' || !(piece.buffer instanceof ArrayBuffer)) return;
  if (piece.length === piece.buffer.byteLength) piece.buffer.transfer(0);
}

/** Writes a slice a turn, and none while the client has too much to read. When the client has left, the rest is dropped. */
function writeInTurns(response: ServerResponse, slices: Iterator<string | Uint8Array, undefined>): void {
  const slice = slices.next();
  if (slice.done === true) return void response.end();
  const goOn = (): void => {
    if (!response.destroyed) writeInTurns(response, slices);
  };
  if (response.write(slice.value)) setImmediate(goOn);
  else response.once('drain', () => setImmediate(goOn)); // it comes before the turn is over if the system took all
}

function* slicesOf(pieces: readonly (string | Uint8Array)[]): Generator<string | Uint8Array, undefined> {
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      if (piece.length > 0) yield piece;
    } else {
      for (let at = 0; at < piece.length; at += ONE_TURN) yield piece.subarray(at, at + ONE_TURN);
    }
  }
  return undefined;
}

function textOf(piece: string | Uint8Array): string {
  return typeof piece === 'string' ? piece : Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('utf8');
}

/** These answers are not pages: endpoints that serve pages replace the policy. */
const ALWAYS: readonly (readonly [name: string, value: string])[] = [
  ['X-Windlass-Version', VERSION],
  ['X-Content-Type-Options', 'nosniff'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Referrer-Policy', 'no-referrer'],
  ['Cache-Control', 'no-store'],
];

/** `url`: WINDLASS_URL. If it is https, browsers are told to use only https. */
export function commonHeaders(url: string | null): readonly (readonly [name: string, value: string])[] {
  if (url?.startsWith('https:') !== true) return ALWAYS;
  return [...ALWAYS, ['Strict-Transport-Security', `max-age=31536000`]];
}
