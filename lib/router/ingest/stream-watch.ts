/** Ends streams on which nothing moves though the service reads them: each holds a connection, and memory if it is compressed. */
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../base/errors.ts';

/** Milliseconds, of those in which the service reads. WINDLASS_BODY_TIMEOUT may be shorter. */
const QUIET_MS = 30_000;
const FIRST_INFLATED_MS = 10_000;
/** Time is counted in steps, so that a service that was busy for long does not count that. */
const STEP_MS = 250;

interface Watched {
  /** While this is so, the service holds the stream back or has all of it, and no time is counted. */
  readonly isHeldBack: () => boolean;
  /** Whether it is compressed and no byte has inflated. */
  readonly isUninflated: () => boolean;
  readonly bodyTimeout: number;
}

/** Calls `end` once, if nothing comes for a while. Returns what stops that. */
export function watchStream(request: IncomingMessage, watched: Watched, end: (error: AppError) => void): () => void {
  const quietMs = Math.min(QUIET_MS, watched.bodyTimeout);
  const uninflatedMs = Math.min(FIRST_INFLATED_MS, watched.bodyTimeout);
  let quiet = 0;
  let uninflated = 0;
  const timer = setInterval(() => {
    if (request.complete || watched.isHeldBack()) return;
    quiet += STEP_MS;
    uninflated += STEP_MS;
    const ended =
      watched.isUninflated() && uninflated >= uninflatedMs
        ? tooQuiet(`No byte of the stream has inflated within ${uninflatedMs / 1_000} s.`)
        : quiet >= quietMs
          ? tooQuiet(`Nothing of the stream came for ${quietMs / 1_000} s.`)
          : null;
    if (ended === null) return;
    clearInterval(timer);
    end(ended);
  }, STEP_MS);
  const moved = (): void => void (quiet = 0);
  request.on('data', moved);
  return () => {
    clearInterval(timer);
    request.removeListener('data', moved);
  };
}

function tooQuiet(message: string): AppError {
  return new AppError('bad_request', message, {
    hints: ['End a stream when no more lines come soon, and begin another; do not send accepted lines again.'],
  });
}
