/**
 * Streams of lines (NDJSON): inflated on the way, passed on as fast as the store writes them to disk but no faster than the
 * project may send. What the store has acknowledged stays, whatever ends the stream.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  type Inflate,
  type InflateRaw,
  type ZlibOptions,
} from 'node:zlib';
import type { Project } from '../../control/types.ts';
import { AppError } from '../../base/errors.ts';
import { trailing, type Encoding, hasZlibHeader } from '../../base/inflate.ts';
import type { BulkStream, RequestContext } from '../../store/event-store.ts';
import { sendJson } from '../http/answer.ts';
import { onBroken } from '../http/broken-body.ts';
import { askForBody, checkLength, encodingOf, tooLarge } from '../http/body.ts';
import type { RouterContext } from '../context.ts';
import { projectRef } from '../auth/credentials.ts';
import { answerError } from '../http/errors.ts';
import { checkMonth, countEvents } from '../limits/month-limit.ts';
import { PieceSink } from './piece-sink.ts';

const HINT = 'Split the file; do not send accepted lines again.';
const INFLATED_CHUNK = 65_536; // bytes per chunk

/** The longest pause of a stream that is too fast: a shutdown must not wait for it. */
const MAX_NAP_MS = 500;

interface BulkRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly project: Project;
  readonly kind: 'track' | 'identify';
  readonly origin: RequestContext;
  /** Rejects once the key may no longer do this. */
  readonly admit: () => unknown;
}

/** Reads a stream to its end and answers it: what was accepted, or the error that ended it and its line. */
export async function answerBulk(context: RouterContext, bulk: BulkRequest): Promise<void> {
  const { request, response, project, kind, origin, admit } = bulk;
  const limit = context.config.bulkLimit;
  const stream = context.store.bulk(projectRef(project), kind, origin);
  const room = context.bodies.streams.open(project);
  const broken = new AbortController();
  onBroken(request, () => broken.abort());
  try {
    checkLength(request, limit, HINT);
    const encoding = encodingOf(request);
    askForBody(request, response);
    const pace = pacer(context, { response, project, stream, kind });
    await pace(() => response.destroyed || broken.signal.aborted);
    const received = async (bytes: number): Promise<void> => {
      await admit(); // a stream can last for hours, and its key may be revoked meanwhile
      context.metrics.received(bytes);
    };
    const sink = new PieceSink(stream, pace, received, room);
    await copy(request, sink, { encoding, limit, broken: broken.signal });
    const { accepted, rejected, firstErrors } = await stream.end();
    await pace(() => true);
    sendJson(response, 200, { accepted, rejected, first_errors: firstErrors });
  } catch (error) {
    const { accepted, lines } = stream.abort();
    if (response.destroyed) return; // nobody is left to answer
    answerError(request, response, { error, context, extra: { accepted, line: lines } });
  } finally {
    room.close();
  }
}

/** Resolves when the sink has the whole body. The request survives a failure, or the answer could not be sent. */
async function copy(
  request: IncomingMessage,
  sink: PieceSink,
  { encoding, limit, broken }: { encoding: Encoding; limit: number; broken: AbortSignal },
): Promise<void> {
  const brokeOff = (): AppError => new AppError('bad_request', 'The stream broke off.');
  if (broken.aborted) throw brokeOff();
  const inflater = encoding === 'identity' ? null : createInflater(encoding);
  let received = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      request.on('data', counter(limit, reject)).on('data', (chunk: Buffer) => void (received += chunk.length));
      request.once('close', () => {
        if (!request.complete) reject(interrupted());
      });
      broken.addEventListener('abort', () => reject(brokeOff()));
      sink.once('finish', resolve).once('error', reject);
      if (inflater === null) {
        request.pipe(sink);
        return;
      }
      inflater.on('data', counter(limit, reject));
      inflater.once('error', () => reject(new AppError('bad_encoding', `The body is not valid ${encoding}.`)));
      request.pipe(inflater).pipe(sink);
    });
    // It ends with the compressed data, or when the body does.
    const rest = inflater === null ? 0 : received - inflater.bytesWritten;
    if (rest > 0) throw trailing(rest, encoding);
  } finally {
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
    if (bytes > limit) fail(tooLarge(limit, HINT));
  };
}

function createInflater(encoding: Exclude<Encoding, 'identity'>): Duplex & { readonly bytesWritten: number } {
  const options = { chunkSize: INFLATED_CHUNK };
  if (encoding === 'gzip') return createGunzip(options);
  return encoding === 'deflate' ? new InflateDeflate(options) : createBrotliDecompress(options);
}

/** Counts what the stream has stored and waits until the project may send more, or it is `over`. Throws if it never may. */
function pacer(
  context: RouterContext,
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
      await new Promise((resolve) => setTimeout(resolve, Math.min(wait, MAX_NAP_MS)));
    }
  };
}

/** A stream of HTTP's `deflate`, in the zlib format or raw: the first bytes tell which. */
class InflateDeflate extends Duplex {
  readonly #options: ZlibOptions;
  /** null: nothing has come. */
  #inflate: Inflate | InflateRaw | null = null;

  constructor(options: ZlibOptions) {
    super();
    this.#options = options;
  }

  /** Bytes that were deflated data: less than were written, if something follows its end. */
  get bytesWritten(): number {
    return this.#inflate?.bytesWritten ?? 0;
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#inflate ??= this.#begin(chunk);
    this.#inflate.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    if (this.#inflate === null) this.push(null);
    else this.#inflate.end();
    done();
  }

  override _read(): void {
    this.#inflate?.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#inflate?.destroy();
    done(error);
  }

  #begin(first: Buffer): Inflate | InflateRaw {
    const inflate = hasZlibHeader(first) ? createInflate(this.#options) : createInflateRaw(this.#options);
    inflate.on('data', (bytes: Buffer) => {
      if (!this.push(bytes)) inflate.pause();
    });
    inflate.once('end', () => this.push(null)); // what may follow is not part of it: zlib takes no more, and `bytesWritten` tells
    return inflate.once('error', (error) => this.destroy(error));
  }
}
