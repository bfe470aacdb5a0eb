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
