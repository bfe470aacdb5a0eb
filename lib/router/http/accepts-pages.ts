import type { IncomingMessage } from 'node:http';

/** A browser that opens an address accepts HTML; a script or a program accepts anything, or JSON. */
export function acceptsPages({ headers }: IncomingMessage): boolean {
  return /\btext\/html\b/.test(headers.accept ?? '');
}
