/**
 * Bodies in chunks of a byte each. A read of 64 KiB has ten thousand of them, and each is an object and a turn of whoever reads the
 * body: one connection kept the event loop busy, and a body of 5 MiB took gigabytes. Connections that send so are cut.
 */
import type { IncomingMessage } from 'node:http';

/** Chunks of any size that a body may have, and the bytes for which it may have another. */
const FEW = 4_096;
const LEAST = 64;

/** Call before anybody reads the request. */
export function cutSmallPieces(request: IncomingMessage): void {
  if (request.headers['transfer-encoding'] === undefined) return; // else Node hands out what it has read as it came
  const push = request.push.bind(request);
  let pieces = 0;
  let bytes = 0;
  request.push = (piece: Buffer | null, encoding?: BufferEncoding): boolean => {
    if (piece === null) return push(piece, encoding);
    bytes += piece.length;
    if (++pieces <= FEW + bytes / LEAST) return push(piece, encoding);
    request.destroy();
    return false;
  };
}
