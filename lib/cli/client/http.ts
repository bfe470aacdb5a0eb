/** One attempt of a request, over Node's own HTTP client: it starts faster than fetch and streams with back-pressure. */
import type { Agent, ClientRequest, IncomingMessage, OutgoingHttpHeaders, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { TransportError } from './client-error.ts';
import { transportError } from './transport-error.ts';

export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Uint8Array | null;
}

export interface Answer {
  readonly status: number;
  readonly statusText: string;
  header(name: string): string | null;
  readonly body: Buffer;
}

/** What came of an attempt that was answered. */
export type Attempted<T> = { readonly success: T } | { readonly failure: Answer };

export interface Limits {
  /** Milliseconds until the whole answer is there; of a stream until it begins, then between its parts. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

interface Module {
  readonly send: typeof request;
  readonly agent: Agent;
}

/** A whole answer takes no more memory than this: the largest page of rows is far below it. */
const MAX_ANSWER = 268_435_456; // bytes

/** Keeps connections for the next request. Loads the half of the client that the address needs. */
export class Connections {
  #module: Module | null = null;

  async open(outgoing: Outgoing): Promise<ClientRequest> {
    const { method, url, headers } = outgoing;
    this.#module ??= await load(url.protocol);
    const { send, agent } = this.#module;
    return send(url, { method, headers, agent });
  }
}

/** Sends a request and takes the whole answer, whatever its status. Rejects with TransportError, or as `signal` says. */
export async function exchange(connections: Connections, outgoing: Outgoing, limits: Limits): Promise<Answer> {
  const attempt = new Attempt(await connections.open(outgoing), outgoing, limits);
  try {
    return await attempt.whole(await attempt.answer());
  } finally {
    attempt.end();
  }
}

/**
 * Sends a request and takes the answer as it comes: bytes when it is a success, else the whole of it. Bytes that nobody asks
 * for stay with the server.
 */
export async function openStream(
  connections: Connections,
  outgoing: Outgoing,
  limits: Limits,
): Promise<Attempted<AsyncGenerator<Buffer>>> {
  const attempt = new Attempt(await connections.open(outgoing), outgoing, limits);
  try {
    const response = await attempt.answer();
    if (isSuccess(response.statusCode ?? 0)) return { success: attempt.parts(response) };
    const failure = await attempt.whole(response);
    attempt.end();
    return { failure };
  } catch (error) {
    attempt.end();
    throw error;
  }
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** A request on its way, with what may cut it short: time, and the user. */
class Attempt {
  readonly #request: ClientRequest;
  readonly #outgoing: Outgoing;
  readonly #limits: Limits;
  readonly #onAbort: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Why this side ended it; what the socket says then is only the consequence. */
  #cause: Error | null = null;

  constructor(request: ClientRequest, outgoing: Outgoing, limits: Limits) {
    this.#request = request;
    this.#outgoing = outgoing;
    this.#limits = limits;
    this.#onAbort = () => this.#cut(abortReason(limits.signal));
    limits.signal.addEventListener('abort', this.#onAbort, { once: true });
    this.#arm();
  }

  /** Sends the body; resolves with the head of the answer. */
  answer(): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      this.#request.once('response', resolve);
      this.#request.on('error', (error) => reject(this.#explain(error)));
      if (this.#limits.signal.aborted) this.#onAbort();
      else this.#request.end(this.#outgoing.body ?? undefined);
    });
  }

  async whole(response: IncomingMessage): Promise<Answer> {
    const chunks: Buffer[] = [];
    let size = 0;
    const parts: AsyncIterable<Buffer> = response;
    try {
      for await (const chunk of parts) {
        size += chunk.length;
        if (size > MAX_ANSWER) throw this.#broken(`its answer is larger than ${MAX_ANSWER} bytes`);
        chunks.push(chunk);
      }
    } catch (error) {
      throw this.#explain(error);
    }
    return {
      status: response.statusCode ?? 0,
      statusText: response.statusMessage ?? '',
      header: (name) => headerOf(response, name),
      body: this.#inflate(Buffer.concat(chunks), headerOf(response, 'content-encoding')),
    };
  }

  /** The body in parts. The clock stands still while the consumer is busy. */
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
    this.#limits.signal.removeEventListener('abort', this.#onAbort);
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
    return new TransportError('broken', `${this.#outgoing.url.origin} cannot be understood: ${why}.`, []);
  }
}

async function load(protocol: string): Promise<Module> {
  const options = { keepAlive: true };
  if (protocol === 'https:') {
    const { request: send, Agent: SecureAgent } = await import('node:https');
    return { send, agent: new SecureAgent(options) };
  }
  const { request: send, Agent: PlainAgent } = await import('node:http');
  return { send, agent: new PlainAgent(options) };
}

function headerOf(response: IncomingMessage, name: string): string | null {
  const value = response.headers[name];
  return typeof value === 'string' ? value : null;
}

function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('ended');
}

function timeoutError(url: URL, timeout: number): TransportError {
  return new TransportError('timeout', `${url.origin} did not answer within ${timeout / 1_000} s.`, [
    'Give it more time with --timeout 2m, or see whether it is well: wl health',
  ]);
}
