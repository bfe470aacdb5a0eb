/** A running request: what may cut it short, and how its answer is read. */
import { codeOf } from '../../base/errors.ts';
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { finished, Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { TransportError } from './client-error.ts';

export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: URL;
  readonly headers: OutgoingHttpHeaders;
  /** A stream is sent as it comes, however long it takes. */
  readonly body: string | Uint8Array | Readable | null;
  /** Called when the body has left this process. */
  readonly onSent?: (() => void) | undefined;
}

export interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly header: (name: string) => string | null;
  readonly body: Buffer;
}

export interface Limits {
  /** Milliseconds until the whole answer has arrived; for a stream until it begins, then between its parts. */
  readonly timeout: number;
  /** Null: nothing but time ends it. */
  readonly signal: AbortSignal | null;
}

/** Memory limit of a whole answer: far above the largest page of rows. */
const MAX_ANSWER = 268_435_456; // bytes

/** One attempt, limited by time and the user. */
export class Attempt {
  readonly #request: ClientRequest;
  readonly #outgoing: Outgoing;
  readonly #limits: Limits;
  readonly #onAbort: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Why this side ended it; the socket's error is only a consequence. */
  #cause: Error | null = null;

  constructor(request: ClientRequest, outgoing: Outgoing, limits: Limits) {
    this.#request = request;
    this.#outgoing = outgoing;
    this.#limits = limits;
    this.#onAbort = () => this.#cut(abortReason(limits.signal));
    limits.signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#arm();
  }

  /** Sends the body; resolves with the answer's head. */
  answer(): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      this.#request.once('response', resolve);
      this.#request.on('error', (error) => reject(this.#explain(error)));
      if (this.#limits.signal?.aborted === true) this.#onAbort();
      else this.#send(this.#outgoing);
    });
  }

  #send({ body, onSent }: Outgoing): void {
    if (!(body instanceof Readable)) return void this.#request.end(body ?? undefined, onSent);
    this.#disarm();
    body.once('error', (error) => this.#cut(error)).once('end', () => this.#arm());
    body.pipe(this.#request);
  }

  /** Uses events: an iterator costs as much as the rest of a small request. */
  async whole(response: IncomingMessage): Promise<Answer> {
    const chunks: Buffer[] = [];
    let size = 0;
    await new Promise<void>((resolve, reject) => {
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_ANSWER)
          response.destroy(this.#broken(`its answer is larger than ${MAX_ANSWER.toLocaleString('en')} bytes`));
        else chunks.push(chunk);
      });
      finished(response, (error) => (error ? reject(this.#explain(error)) : resolve()));
    });
    return {
      status: response.statusCode ?? 0,
      statusText: response.statusMessage ?? '',
      header: (name) => headerOf(response, name),
      body: this.#inflate(Buffer.concat(chunks), headerOf(response, 'content-encoding')),
    };
  }

  /** The body in parts. The clock stops while the consumer is busy. */
  async *parts(response: IncomingMessage): AsyncGenerator<Buffer> {
    try {
      const chunks: AsyncIterator<Buffer> = response[Symbol.asyncIterator]();
      for (;;) {
        this.#arm();
        const next = await chunks.next();
        this.#disarm();
        if (next.done === true) return;
        yield next.value;
      }
    } catch (error) {
      throw this.#explain(error);
    } finally {
      response.destroy();
      this.end();
    }
  }

  end(): void {
    this.#disarm();
    this.#limits.signal?.removeEventListener('abort', this.#onAbort);
    const { body } = this.#outgoing;
    if (!(body instanceof Readable) || body.readableEnded) return;
    body.destroy(); // answered before its end
    this.#request.destroy();
  }

  #arm(): void {
    const { timeout } = this.#limits;
    this.#disarm();
    this.#timer = setTimeout(() => this.#cut(timeoutError(this.#outgoing.url, timeout)), timeout);
  }

  #disarm(): void {
    clearTimeout(this.#timer);
  }

  #cut(cause: Error): void {
    this.#cause ??= cause;
    this.#request.destroy(cause);
  }

  #explain(error: unknown): Error {
    return this.#cause ?? transportError(error, this.#outgoing.url);
  }

  #inflate(body: Buffer, encoding: string | null): Buffer {
    if (encoding === null || encoding === 'identity') return body;
    if (encoding !== 'gzip') throw this.#broken(`its answer is packed as "${encoding}"`);
    try {
      return gunzipSync(body, { maxOutputLength: MAX_ANSWER });
    } catch {
      throw this.#broken('its answer is not valid gzip');
    }
  }

  #broken(why: string): TransportError {
    return unreadable(this.#outgoing.url, why);
  }
}

function headerOf(response: IncomingMessage, name: string): string | null {
  const value = response.headers[name];
  return typeof value === 'string' ? value : null;
}

export function unreadable({ origin }: URL, why: string): TransportError {
  return new TransportError('broken', `${origin} sent an answer that cannot be read: ${why}.`, []);
}

export function abortReason(signal: AbortSignal | null): Error {
  return signal?.reason instanceof Error ? signal.reason : new Error('ended');
}

export function timeoutError(url: URL, timeout: number): TransportError {
  return new TransportError('timeout', `${url.origin} did not answer within ${timeout / 1_000} s.`, [
    'Give it more time with --timeout 2m, or check its state: wl health',
  ]);
}

const SET_HOST = 'Another server: --host URL, or WINDLASS_HOST, or `wl config set host URL`.';

/** What a failed connection means to the user. Errors that no connection can cause stay: they are bugs. */
export function transportError(error: unknown, { origin, host }: URL): Error {
  if (error instanceof TransportError) return error;
  if (!(error instanceof Error)) return new Error('a request failed', { cause: error });
  const code = codeOf(error);
  if (code === 'ECONNREFUSED') {
    return new TransportError('refused', `Could not connect to ${origin}: connection refused.`, [
      'Is the server running? `wl serve` starts one on this machine.',
      SET_HOST,
    ]);
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new TransportError('unknown-host', `Could not resolve the host ${host} (${code}).`, [SET_HOST]);
  }
  if (CERTIFICATE.test(code)) {
    return new TransportError(
      'certificate',
      `The certificate of ${origin} is not trusted: ${error.message} (${code}).`,
      ['Set NODE_EXTRA_CA_CERTS to the certificate of the authority that signed it.'],
    );
  }
  if (code.startsWith('HPE_') || code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    return new TransportError(
      'broken',
      `${origin} did not answer with HTTP (${code}). Did you mix up http and https?`,
      [SET_HOST],
    );
  }
  if (NETWORK.test(code)) {
    return new TransportError('broken', `The connection to ${origin} was lost (${code}).`, [
      'Check the server: wl health',
    ]);
  }
  return error;
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY)|ERR_TLS/;
const NETWORK =
  /^(?:ECONN\w+|EPIPE|E(?:HOST|NET)UNREACH|ENET\w+|ETIMEDOUT|EADDRNOTAVAIL|UND_\w+|ERR_STREAM_PREMATURE_CLOSE|ABORT_ERR)$/;
