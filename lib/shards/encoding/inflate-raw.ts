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

export function inflateRaw(bytes: Uint8Array): Uint8Array {
  check();
  return new Uint8Array(zlib.inflateRawSync(bytes));
}
