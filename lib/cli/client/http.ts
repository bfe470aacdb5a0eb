/** Requests over kept connections, undici's pool: what may cut one short, and how its answer is read. */
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { Agent, Dispatcher } from 'undici';
import { codeOf } from '../../base/errors.ts';
import { TransportError } from './client-error.ts';

export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is sent as it comes, however long it takes. */
  readonly body: string | Uint8Array | Readable | null;
  /** Called when the body leaves this process. */
  readonly onSent?: (() => void) | undefined;
}

export interface HttpAnswer {
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

export type Attempted<T> = { readonly success: T } | { readonly failure: HttpAnswer };

/** Memory limit of a whole answer: far above the largest page of rows. */
const MAX_ANSWER = 268_435_456; // bytes

/** Each attempt has its own clock, which stops while the user or a slow consumer is waited for. */
const NO_LIMITS = { connectTimeout: 0, headersTimeout: 0, bodyTimeout: 0 };

export class HttpClient implements Disposable {
  #agent: Promise<Agent> | null = null;

  /** Sends a request and reads the whole answer, whatever its status. Rejects with TransportError, or the signal's reason. */
  async exchange(outgoing: Outgoing, limits: Limits): Promise<HttpAnswer> {
    using attempt = await this.#begin(outgoing, limits);
    return await attempt.whole(await attempt.head);
  }

  /**
   * Sends a request and streams the answer: its bytes on success, else the whole of it. Bytes that nobody reads stay with the
   * server.
   */
  async openStream(outgoing: Outgoing, limits: Limits): Promise<Attempted<AsyncGenerator<Buffer>>> {
    const attempt = await this.#begin(outgoing, limits);
    try {
      const head = await attempt.head;
      if (isSuccess(head.status, head.header('content-type') ?? '')) return { success: attempt.parts() };
      const failure = await attempt.whole(head);
      attempt[Symbol.dispose]();
      return { failure };
    } catch (error) {
      attempt[Symbol.dispose]();
      throw error;
    }
  }

  /** Ends all connections, also those in the making. */
  [Symbol.dispose](): void {
    void this.#agent?.then((agent) => agent.destroy());
  }

  async #begin(outgoing: Outgoing, limits: Limits): Promise<Attempt> {
    this.#agent ??= newAgent();
    return new Attempt(await this.#agent, outgoing, limits);
  }
}

/** Loaded with the first request. */
async function newAgent(): Promise<Agent> {
  const { Agent: Pool } = await import('undici');
  return new Pool(NO_LIMITS);
}

/** undici keeps a connection for a turn of the event loop after its answer. */
const freed = promisify(setImmediate);

/** An HTML page with a 200 comes not from the server, but from a portal or proxy in front of it. */
export function isSuccess(status: number, contentType = ''): boolean {
  return status >= 200 && status < 300 && !/^text\/html\b/i.test(contentType);
}

type Head = Omit<HttpAnswer, 'body'>;

/** One attempt, limited by time and the user. */
class Attempt implements Dispatcher.DispatchHandler, Disposable {
  readonly #outgoing: Outgoing;
  readonly #limits: Limits;
  readonly #onAbort = (): void => this.#cut(abortReason(this.#limits.signal));
  readonly #head = Promise.withResolvers<Head>();
  readonly #body = new Readable({ read: () => this.#controller?.resume() });
  #controller: Dispatcher.DispatchController | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** Why this side ended it; the socket's error is only a consequence. */
  #cause: Error | null = null;

  constructor(agent: Agent, outgoing: Outgoing, limits: Limits) {
    this.#outgoing = outgoing;
    this.#limits = limits;
    // Whoever reads these learns why they fail.
    this.#head.promise.catch(() => undefined);
    this.#body.on('error', () => undefined);
    limits.signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (limits.signal?.aborted === true) this.#onAbort();
    else this.#send(agent, outgoing);
  }

  #send(agent: Agent, { method, url, headers, body }: Outgoing): void {
    this.#arm();
    if (body instanceof Readable) {
      this.#disarm();
      body.once('error', (error) => this.#cut(error)).once('end', () => this.#arm());
    }
    agent.dispatch({ origin: url.origin, path: url.pathname + url.search, method, headers, body }, this);
  }

  /** All but the body of the answer. */
  get head(): Promise<Head> {
    return this.#head.promise;
  }

  /** Uses events: an iterator costs as much as the rest of a small request. */
  async whole({ status, statusText, header }: Head): Promise<HttpAnswer> {
    const chunks: Buffer[] = [];
    let size = 0;
    this.#body.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_ANSWER)
        this.#cut(this.#broken(`its answer is larger than ${MAX_ANSWER.toLocaleString('en')} bytes`));
      else chunks.push(chunk);
    });
    await finished(this.#body);
    await freed(); // the connection may then be used again
    return { status, statusText, header, body: this.#inflate(Buffer.concat(chunks), header('content-encoding')) };
  }

  /** The body in parts. The clock stops while the consumer is busy. */
  async *parts(): AsyncGenerator<Buffer> {
    try {
      const chunks: AsyncIterator<Buffer> = this.#body[Symbol.asyncIterator]();
      for (;;) {
        this.#arm();
        const next = await chunks.next();
        this.#disarm();
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      this[Symbol.dispose]();
    }
  }

  /** Ends what is not over: an answer that nobody reads, or a body that was answered before its end. */
  [Symbol.dispose](): void {
    this.#disarm();
    this.#limits.signal?.removeEventListener('abort', this.#onAbort);
    const { body } = this.#outgoing;
    const isSent = !(body instanceof Readable) || body.readableEnded;
    if (!isSent) body.destroy();
    if (!isSent || !this.#body.readableEnded) this.#cut(new Error('not read to its end'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#cause !== null) controller.abort(this.#cause);
    else this.#outgoing.onSent?.();
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
    statusText = '',
  ): void {
    if (status < 200) return; // another follows
    const header = (name: string): string | null => {
      const value = headers[name];
      return typeof value === 'string' ? value : null;
    };
    this.#head.resolve({ status, statusText, header });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#body.push(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#body.push(null);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(this.#cause ?? transportError(error, this.#outgoing.url));
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
    this.#fail(this.#cause);
    this.#controller?.abort(this.#cause);
  }

  #fail(error: Error): void {
    this.#head.reject(error);
    this.#body.destroy(error);
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

  #broken(why: string): Error {
    return unreadable(this.#outgoing.url, why);
  }
}

function unreadable({ origin }: URL, why: string): TransportError {
  return new TransportError('broken', `${origin} sent an answer that cannot be read: ${why}.`, []);
}

function abortReason(signal: AbortSignal | null): Error {
  return signal?.reason instanceof Error ? signal.reason : new Error('ended');
}

function timeoutError(url: URL, timeout: number): TransportError {
  return new TransportError('timeout', `${url.origin} did not answer within ${timeout / 1_000} s.`, [
    'Give it more time with --timeout 2m, or check its state: wl health',
  ]);
}

const SET_HOST = 'Another server: --host URL, or WINDLASS_HOST, or `wl config set host URL`.';

/** Errors that no connection can cause stay: they are bugs. */
export function transportError(error: unknown, { origin, host }: URL): Error {
  if (error instanceof TransportError) return error;
  if (!(error instanceof Error)) return new Error('a request failed', { cause: error });
  const told = error.name === 'HTTPParserError' ? error.name : codeOf(error);
  const code = told === 'UND_ERR_SOCKET' ? 'ECONNRESET' : told; // the other side closed it
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
  if (code === 'HTTPParserError' || code === 'EPROTO' || code.startsWith('ERR_SSL')) {
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
