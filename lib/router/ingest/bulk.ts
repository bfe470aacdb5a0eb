/**
 * Streams of lines (NDJSON): inflated on the way, passed on as fast as the store writes them to disk but no faster than the
 * project may send. What the store has acknowledged stays, whatever ends the stream.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Project } from '../../control/types.ts';
import { AppError } from '../../base/errors.ts';
import { trailing, type Encoding } from '../../base/inflate.ts';
import type { BulkStream, RequestContext } from '../../store/event-store.ts';
import { sendJson } from '../http/answer.ts';
import { onBroken, askForBody, checkLength, encodingOf, bodyTooLarge } from '../http/body.ts';
import type { RouterContext } from '../context.ts';
import { projectRef } from '../project-ref.ts';
import { answerError } from '../answer-error.ts';
import { checkMonth, countEvents } from '../limits/month-limit.ts';
import { Inflater } from './inflater.ts';
import { PieceSink } from './piece-sink.ts';
import type { StreamRoom } from '../http/stream-room.ts';

const HINT = 'Split the file; do not send accepted lines again.';

interface BulkRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly project: Project;
  readonly kind: 'track' | 'identify';
  readonly origin: RequestContext;
  /** Rejects once the key may no longer do this. */
  readonly admit: () => unknown;
}

type Streaming = Pick<
  RouterContext,
  | 'bodies'
  | 'config'
  | 'control'
  | 'eventRate'
  | 'lifecycle'
  | 'load'
  | 'log'
  | 'metrics'
  | 'security'
  | 'store'
  | 'mail'
  | 'webhooks'
>;

/** Reads a stream to its end and answers it: what was accepted, or the error that ended it and its line. */
export async function answerBulk(context: Streaming, bulk: BulkRequest): Promise<void> {
  const { request, response, project, kind, origin, admit } = bulk;
  const limit = context.config.bulkLimit;
  const stream = context.store.bulk(projectRef(project), kind, origin);
  const room = context.bodies.streams.open(project);
  const ending = new AbortController();
  onBroken(request, () => ending.abort(new AppError('bad_request', 'The stream broke off.')));
  const answered = context.lifecycle.onCut(() => ending.abort(cutOff()));
  try {
    checkLength(request, limit, HINT);
    const encoding = encodingOf(request);
    askForBody(request, response);
    const pace = pacer(context, { response, project, stream, kind });
    await pace(() => response.destroyed || ending.signal.aborted);
    const received = async (bytes: number): Promise<void> => {
      await admit(); // a stream can last for hours, and its key may be revoked meanwhile
      context.metrics.received(bytes);
      context.load.received(project.id, bytes);
    };
    const sink = new PieceSink(stream, pace, received, room);
    await copy(request, sink, {
      encoding,
      limit,
      room,
      ending: ending.signal,
      bodyTimeout: context.config.bodyTimeout,
    });
    const { accepted, rejected, firstErrors, warnings } = await stream.end();
    await pace(() => true);
    sendJson(response, 200, { accepted, rejected, first_errors: firstErrors, warnings });
  } catch (error) {
    const { accepted, lines } = stream.abort();
    if (response.destroyed) return; // nobody is left to answer
    answerError(request, response, { error, context, extra: { accepted, line: lines } });
  } finally {
    room.close();
    answered();
  }
}

/** Of a stream that goes on when a shutdown has waited for long enough. */
const cutOff = (): AppError =>
  new AppError('shutting_down', 'The service is shutting down.', {
    hints: ['Go on with the line after the last that was read, in another stream.'],
  });

interface Copying {
  readonly encoding: Encoding;
  readonly limit: number;
  readonly room: StreamRoom;
  /** Aborted with the AppError that ends the stream. */
  readonly ending: AbortSignal;
  readonly bodyTimeout: number;
}

/** Resolves when the sink has the whole body. The request survives a failure, or the answer could not be sent. */
async function copy(request: IncomingMessage, sink: PieceSink, copying: Copying): Promise<void> {
  const { encoding, limit, room, ending, bodyTimeout } = copying;
  ending.throwIfAborted();
  const inflater = encoding === 'identity' ? null : new Inflater(encoding, room);
  let received = 0;
  let inflated = 0;
  let stopWatching = (): void => undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      request.on('data', counter(limit, reject)).on('data', (chunk: Buffer) => void (received += chunk.length));
      request.once('close', () => {
        if (!request.complete) reject(interrupted());
      });
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- it is one
      ending.addEventListener('abort', () => reject(ending.reason));
      const isHeldBack = (): boolean => request.isPaused() || sink.isBusy || (inflater?.writableLength ?? 0) > 0;
      const isUninflated = (): boolean => inflater !== null && inflated === 0;
      stopWatching = watchStream(request, { isHeldBack, isUninflated, bodyTimeout }, reject);
      sink.once('finish', resolve).once('error', reject);
      if (inflater === null) {
        request.pipe(sink);
        return;
      }
      inflater.on('data', counter(limit, reject)).on('data', (chunk: Buffer) => void (inflated += chunk.length));
      inflater.once('error', (error) =>
        reject(error instanceof AppError ? error : new AppError('bad_encoding', `The body is not valid ${encoding}.`)),
      );
      request.pipe(inflater).pipe(sink);
    });
    // It ends with the compressed data, or when the body does.
    const rest = inflater === null ? 0 : received - inflater.bytesWritten;
    if (rest > 0) throw trailing(rest, encoding);
  } finally {
    stopWatching();
    request.unpipe();
    inflater?.destroy();
    sink.destroy();
    await sink.settled(); // what is reported as accepted must not grow afterwards
  }
}

const interrupted = (): AppError => new AppError('bad_request', 'The stream was interrupted.');

/** Counts the bytes of chunks; fails when they exceed `limit` together. */
function counter(limit: number, fail: (error: AppError) => void): (chunk: Buffer) => void {
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.length;
    if (bytes > limit) fail(bodyTooLarge(limit, HINT));
  };
}

/** Counts what the stream has stored and waits until the project may send more, or it is `over`. Throws if it never may. */
function pacer(
  context: Streaming,
  { response, project, stream, kind }: Pick<BulkRequest, 'response' | 'project' | 'kind'> & { stream: BulkStream },
): (over: () => boolean) => Promise<void> {
  let counted = { accepted: 0, rejected: 0 };
  return async (over) => {
    const { accepted, rejected } = stream.progress;
    context.eventRate.add(project, accepted + rejected - counted.accepted - counted.rejected);
    if (kind === 'track') {
      context.metrics.events(accepted - counted.accepted, rejected - counted.rejected);
      countEvents(context, project, accepted - counted.accepted);
    }
    counted = { accepted, rejected };
    if (over()) return; // nothing to slow down
    await checkMonth(context, project);
    for (let wait = context.eventRate.wait(project); wait > 0; wait = context.eventRate.wait(project)) {
      if (context.lifecycle.draining) throw new AppError('shutting_down', 'The service is shutting down.');
      if (over()) return;
      if (response.destroyed) throw interrupted();
      // The longest pause of a stream that is too fast: a shutdown must not wait for it.
      await new Promise((resolve) => setTimeout(resolve, Math.min(wait, 500)));
    }
  };
}

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
