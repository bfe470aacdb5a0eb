/**
 * Inflating in a thread that may be ended. Node (22 to 26) aborts the whole process when a thread ends between the making of an
 * inflater and its first use, and columns make one for every list of texts. So whoever ends a thread first says that it is to
 * stop, waits a moment, and the thread begins to inflate nothing after that.
 */
import zlib from 'node:zlib';

let check: () => void = () => undefined;

/** @param look Called before anything is inflated in this thread; throws when the thread is to stop. */
export function checkBeforeInflating(look: () => void): void {
  check = look;
}

/**
 * @param length Of what comes out, as far as is known: with room for it in one piece nothing is copied, and no pieces are left
 * for the collector, which is late with memory outside of its heap.
 */
export function inflateRaw(bytes: Uint8Array, length: number): Uint8Array {
  check();
  // A piece that is full could be followed by another.
  const { buffer, byteOffset, byteLength } = zlib.inflateRawSync(bytes, {
    chunkSize: Math.min(Math.max(length + 1, LEAST), MOST),
  });
  return new Uint8Array(buffer, byteOffset, byteLength); // a Buffer is another class to the compiler of hot loops
}

/** Smaller pieces are cut out of one that many share. Bytes. */
const LEAST = 8 << 10;
/** What is longer, or says so, comes in several. */
const MOST = 64 << 20;
