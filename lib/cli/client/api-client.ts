/** The server as commands see it: requests with the configured key, retried where that helps. */
import { isRecord } from '../../base/is-record.ts';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { isLoopback } from '../../base/net/loopback.ts';
import { VERSION } from '../../base/version.ts';
import { ClientError, isUncertain, TransportError, ServerError, keyHints, type KeyNeed } from './client-error.ts';
import { HttpClient, isSuccess, type HttpAnswer, type Attempted, type Outgoing } from './http.ts';
import { delayBefore, MAX_RETRIES, pause, type RetryPolicy } from './retry.ts';
import { type FoundSetting, type Settings, masked } from './settings.ts';
import { readJson } from '../../base/text/read-json.ts';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path on the host, encoded: `/api/admin/projects`. */
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string | undefined>>;
  /** JSON text, unless `type` differs. */
  readonly body?: string | Buffer;
  readonly type?: string;
  /** Instead of a body: streamed, lines of JSON unless `headers` name another type. */
  readonly lines?: Readable;
  /** Which key it requires; null: none. */
  readonly key: KeyNeed | null;
  readonly retry: RetryPolicy;
  /** The server executes requests with the same key only once. */
  readonly idempotencyKey?: string | undefined;
  /** Keeps events from being enriched with this program as their browser. Default: it names itself. */
  readonly anonymous?: boolean;
  /** When the user interrupts, a running attempt still finishes: the user must know if it was accepted. */
  readonly isFinishing?: boolean;
  /** Milliseconds that its answer may take at least, for what takes the server long. */
  readonly patience?: number;
  /** Besides those that every request has. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called when the body leaves this process; again with each try. */
  readonly onSent?: () => void;
  /** Called when a try ended without an answer of the server, which may have done it all the same. */
  readonly onUncertain?: () => void;
}

interface ClientOptions {
  readonly settings: Pick<Settings, 'host' | 'apiKey' | 'problems'>;
  /** Milliseconds for each attempt. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  /** Tells the user about delays and problems with the settings. */
  readonly notify: (text: string) => void;
}

interface Address {
  readonly url: URL;
  /** This machine itself. */
  readonly isHere: boolean;
}

interface Prepared {
  readonly outgoing: Outgoing;
  readonly host: string;
  readonly key: FoundSetting | null;
}

type Once<T> = (outgoing: Outgoing) => Promise<Attempted<T>>;

/** The type of a body of lines of JSON. */
export const LINES_TYPE = 'application/x-ndjson';

const pack = promisify(gzip);

export class ApiClient implements Disposable {
  readonly #options: ClientOptions;
  readonly #http = new HttpClient();
  /** Why requests wait to be tried again, one entry each: the user is told once what many wait for. */
  readonly #waiting: string[] = [];
  /** Of the last request, by path and parameters: many go to one, and making it would take as long as the rest of them. */
  #address: { readonly name: string; readonly known: Address } | null = null;
  #key: FoundSetting | null = null;
  #warned = false;
  #retries = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Call at the end: a connection in the making would keep the process waiting. */
  [Symbol.dispose](): void {
    this.#http[Symbol.dispose]();
  }

  /** Where requests go. */
  get host(): string {
    return this.#options.settings.host.value;
  }

  /** Retries of all requests. */
  get retries(): number {
    return this.#retries;
  }

  /** The answer on success. Rejects with ServerError, TransportError, ClientError, or the signal's reason. */
  async send(request: ApiRequest): Promise<HttpAnswer> {
    const prepared = await this.#prepare(request);
    return this.#try(request, prepared, async (outgoing) => {
      const { signal } = this.#options;
      // How long a server may delay the answer to a stream, so that a project sends no more events a minute than it
      // may.
      const isOfLines = request.lines !== undefined || request.type === LINES_TYPE;
      const timeout = Math.max(this.#options.timeout, request.patience ?? (isOfLines ? 120_000 : 0));
      const limits = { timeout, signal: request.isFinishing === true ? null : signal };
      const answer = await this.#http.exchange(outgoing, limits);
      return isSuccess(answer.status, answer.header('content-type') ?? '') ? { success: answer } : { failure: answer };
    });
  }

  /** The JSON body on success. */
  async json(request: ApiRequest): Promise<unknown> {
    return (await this.read(request)).value;
  }

  /** The same, with the headers of the answer. */
  async read(request: ApiRequest): Promise<Pick<HttpAnswer, 'header'> & { readonly value: unknown }> {
    const { body, header } = await this.send(request);
    try {
      return { value: readJson(body.toString('utf8')), header };
    } catch {
      throw new ClientError(`${this.host} does not answer ${request.path} with JSON: is it a Windlass server?`);
    }
  }

  /** The body on success, streamed. The timeout applies between two parts. */
  async stream(request: ApiRequest): Promise<AsyncIterable<Buffer>> {
    const prepared = await this.#prepare(request);
    return this.#try(request, prepared, (outgoing) => {
      const headers = { ...outgoing.headers, 'accept-encoding': 'identity' }; // parts are passed on as they come
      const timeout = Math.max(this.#options.timeout, request.patience ?? 0);
      return this.#http.openStream({ ...outgoing, headers }, { timeout, signal: this.#options.signal });
    });
  }

  /**
   * An answer that `takes` knows what to do with, whatever its status, for who passes on what others say. Tries again where nobody
   * listened. Rejects with ServerError for all other answers, TransportError, ClientError, or a signal's reason.
   */
  async pass(request: ApiRequest, takes: (answer: HttpAnswer) => boolean, signal: AbortSignal): Promise<HttpAnswer> {
    const prepared = await this.#prepare(request);
    for (let tries = 1; ; tries += 1) {
      const limits = { timeout: this.#options.timeout, signal };
      const answer = await this.#http.exchange(prepared.outgoing, limits).catch(asTransportError);
      if (!(answer instanceof TransportError)) {
        if (takes(answer)) return answer;
        throw serverError(answer, { ...prepared, need: request.key });
      }
      const again = { tries, now: Date.now(), random: Math.random() };
      const delay = answer.trouble === 'refused' ? delayBefore('stream', answer, again) : null;
      if (delay === null) throw answer;
      await pause(delay, signal);
    }
  }

  async #prepare(request: ApiRequest): Promise<Prepared> {
    const { settings, notify } = this.#options;
    const host = settings.host.value;
    const key = request.key === null ? null : (this.#key ??= settings.apiKey);
    if (request.key !== null && key === null) {
      throw new ClientError(`No API key is set for ${host}.`, keyHints(request.key));
    }
    if (!this.#warned) for (const problem of settings.problems) notify(`${problem}; it is ignored`);
    this.#warned = true;
    return { host, key, outgoing: await outgoingOf(request, this.#addressOf(request), key) };
  }

  #addressOf({ path, parameters = {} }: ApiRequest): Address {
    const name = `${path}?${JSON.stringify(parameters)}`;
    if (this.#address?.name === name) return this.#address.known;
    const url = new URL(this.host + path);
    for (const [key, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(key, value);
    this.#address = { name, known: { url, isHere: isLoopback(url.hostname) } };
    return this.#address.known;
  }

  /** Retries until it succeeds or fails in a way that a retry cannot fix. */
  async #try<T>({ key: need, retry, onUncertain }: ApiRequest, prepared: Prepared, once: Once<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const result = await once(prepared.outgoing).catch(asTransportError);
      if (!(result instanceof TransportError) && 'success' in result) return result.success;
      const failure = result instanceof TransportError ? result : serverError(result.failure, { ...prepared, need });
      if (isUncertain(failure)) onUncertain?.();
      const outcome =
        result instanceof TransportError
          ? result
          : { status: result.failure.status, retryAfter: result.failure.header('retry-after') };
      const delay = delayBefore(retry, outcome, { tries, now: Date.now(), random: Math.random() });
      if (delay === null) throw failure;
      await this.#wait(failure, delay, { tries, retry });
    }
  }

  async #wait(
    failure: ClientError,
    delay: number,
    { tries, retry }: { tries: number; retry: RetryPolicy },
  ): Promise<void> {
    const seconds = delay < 10_000 ? (delay / 1_000).toFixed(1) : Math.round(delay / 1_000);
    const isLimit = retry === 'patient' && failure instanceof ServerError && failure.status === 429;
    const reason = isLimit ? failure.message : `${tries} ${failure.message}`;
    if (!this.#waiting.includes(reason)) {
      const until = new Date(Date.now() + delay).toLocaleTimeString('en', { hourCycle: 'h23' });
      const next = isLimit ? `Slowed until ${until} (${seconds} s).` : `Trying again in ${seconds} s (${tries} of ${MAX_RETRIES}).`; // prettier-ignore
      this.#options.notify(`${failure.message} ${next}`);
    }
    this.#waiting.push(reason);
    await pause(delay, this.#options.signal);
    this.#waiting.splice(this.#waiting.indexOf(reason), 1);
    this.#retries += 1;
  }
}

function asTransportError(error: unknown): TransportError {
  if (error instanceof TransportError) return error;
  throw error;
}

async function outgoingOf(request: ApiRequest, { url, isHere }: Address, key: FoundSetting | null): Promise<Outgoing> {
  const {
    method,
    body,
    type = 'application/json',
    anonymous = false,
    onSent,
    idempotencyKey,
    lines,
    headers,
  } = request;
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  // Smaller bodies are sent uncompressed, as all are to this machine: compressing them would save no packet.
  const isPacked = body !== undefined && length >= 1_024 && !isHere;
  const packed = isPacked ? await pack(body, { level: 1 }) : null; // speed matters more
  return {
    method,
    url,
    body: lines ?? packed ?? body ?? null,
    onSent,
    headers: {
      'accept-encoding': onSent === undefined ? 'gzip' : 'identity', // of many short answers, unpacking each costs more
      ...(anonymous ? {} : { 'user-agent': `wl/${VERSION}` }),
      ...(key === null ? {} : { 'x-api-key': key.value }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...(body === undefined ? {} : { 'content-type': type, 'content-length': String(packed?.length ?? length) }),
      ...(packed === null ? {} : { 'content-encoding': 'gzip' }),
      ...(lines === undefined ? {} : { 'content-type': LINES_TYPE }),
      ...headers,
    },
  };
}

/** The error in an unsuccessful answer. `key` is what was sent. */
function serverError(
  answer: HttpAnswer,
  { host, need, key }: { host: string; need: KeyNeed | null; key: FoundSetting | null },
): ServerError {
  const { status } = answer;
  const body = parsed(answer.body);
  const code = typeof body['code'] === 'string' ? body['code'] : null;
  const position = typeof body['position'] === 'number' ? body['position'] : null;
  const events = typeof body['events'] === 'number' ? body['events'] : null;
  const { accepted, line } = body;
  const taken = typeof accepted === 'number' && typeof line === 'number' ? { accepted, line } : null;
  const message = typeof body['error'] === 'string' ? body['error'] : foreignMessage(answer, host);
  const hints = (Array.isArray(body['hints']) ? body['hints'] : []).filter(
    (hint): hint is string => typeof hint === 'string' && !message.includes(hint),
  );
  const isAboutKey = status === 401 || (status === 403 && code !== 'limit_reached' && code !== 'suspended');
  if (need !== null && isAboutKey) {
    hints.push(...keyHints(need, message));
    if (key !== null) hints.push(`The key that was sent, ${masked(key.value)}, is from ${key.where}.`);
  }
  return new ServerError(message, { status, code, position, hints, taken, events });
}

/** For something between us and the server, or another program. */
function foreignMessage(answer: HttpAnswer, host: string): string {
  const { status, statusText } = answer;
  const location = answer.header('location');
  if (status >= 300 && status < 400 && location !== null) {
    return `${host} has moved to ${location}: set the host to where it is now. Keys are not sent after redirects.`;
  }
  return `${host} answered ${status} ${statusText} and does not look like a Windlass server. Check the host.`;
}

function parsed(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = readJson(body.toString('utf8'));
    return isRecord(value) ? value : {};
  } catch {
    return {}; // not our server's answer
  }
}
