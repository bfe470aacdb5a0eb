/**
 * Inflates in a thread that may be terminated. Node (22 to 26) aborts the whole process if a thread ends between the creation of
 * an inflater and its first use, and columns create one for every list of texts. So before terminating a thread, one tells it to
 * stop and waits a moment; after that the thread no longer starts to inflate anything.
 */
import zlib from 'node:zlib';

let check: () => void = () => undefined;

/** @param look Called before anything is inflated in this thread; throws if the thread is to stop. */
export function checkBeforeInflating(look: () => void): void {
  check = look;
}

/**
 * The result has a buffer of its own: a short one that zlib cut from a buffer that Node shares among many is copied, or whoever
 * keeps it would keep that whole buffer.
 *
 * @param length Length of the result, as far as known: with room for it in one piece nothing else is copied, and no pieces are left
 * for the garbage collector, which is slow to free memory outside its heap.
 */
export function inflateRaw(bytes: Uint8Array, length: number): Uint8Array {
  check();
  // One more than the length: after a full piece, zlib would begin another. It takes no pieces below 64 bytes; 64 MiB come in several.
  const piece = zlib.inflateRawSync(bytes, { chunkSize: Math.min(Math.max(length + 1, 64), 64 << 20) });
  const { buffer, byteOffset, byteLength } = piece;
  if (buffer.byteLength > byteLength + 1) return new Uint8Array(piece);
  return new Uint8Array(buffer, byteOffset, byteLength); // hot loops must see one class only, and a Buffer is another to the compiler
}
