/** The ways an answer is written: whole, with its length, once. */
import type { ServerResponse } from 'node:http';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers text of a media type. Headers set before stay. */
export function sendText(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

/** Answers a value as JSON. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendText(response, status, JSON_TYPE, JSON.stringify(value));
}

/** An answer up to so many bytes goes out as one string with its head: to gather pieces takes longer than to copy them. */
const ONE_WRITE = 16_384;

/** Answers pieces of text, some of which are bytes of UTF-8 already, one after the other. */
export function sendPieces(response: ServerResponse, type: string, pieces: readonly (string | Uint8Array)[]): void {
  const length = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': length });
  if (length <= ONE_WRITE) return void response.end(pieces.map(textOf).join(''));
  response.cork();
  for (const piece of pieces) if (piece.length > 0) response.write(piece);
  response.end();
}

function textOf(piece: string | Uint8Array): string {
  return typeof piece === 'string' ? piece : Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('utf8');
}
