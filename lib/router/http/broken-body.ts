/** Bodies that cannot go on, because their client closed its side in their midst or sent nonsense, while it still reads. */
import type { IncomingMessage } from 'node:http';

const BROKEN = 'windlass:broken';

/** Calls `tell` once if the body breaks so. Whoever asks for it must answer the request then. */
export function onBroken(request: IncomingMessage, tell: () => void): void {
  request.once(BROKEN, tell);
}

/** Tells who has asked. False: nobody has. */
export function tellBroken(request: IncomingMessage): boolean {
  return request.emit(BROKEN);
}
