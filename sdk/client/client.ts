/** `windlass-client`: events, identifies and queries from programs: Node, edge runtimes, bundles. */
import type { Delivery, Post } from '../core/delivery.ts';
import { createDelivery } from '../core/delivery.ts';
import type { Kind } from '../core/item.ts';
import { uuidv7 } from '../core/uuid.ts';
import { VERSION } from '../core/version.ts';
import { waitOf } from '../core/verdict.ts';
import { troubleOf, WindlassError } from './errors.ts';
import { freshQueue } from './fresh-queue.ts';
import { guardedQueue } from './guarded-queue.ts';
import type { ClientQueue } from './memory-queue.ts';
import { MemoryQueue } from './memory-queue.ts';
import type { Asking, QueryOptions, TextFormat } from './query.ts';
import { queryPages, queryRows, queryText } from './query.ts';

export type { ErrorDetails, Trouble } from './errors.ts';
export { WindlassError } from './errors.ts';
export type { ClientQueue } from './memory-queue.ts';
export type { QueryOptions, TextFormat } from './query.ts';
export type { Item, Kind, Queue } from '../core/item.ts';

export type Properties = Readonly<Record<string, unknown>>;

/** An event as POST /track takes it. */
export interface Event {
  readonly event_type: string;
  readonly user_id?: string | number | undefined;
  readonly device_id?: string | number | undefined;
  readonly session_id?: string | number | undefined;
  /** Default: now. */
  readonly time?: string | number | Date | undefined;
  readonly event_properties?: Properties | undefined;
  readonly user_properties?: Properties | undefined;
  /** Default: a new one, so that what is sent twice is stored once. */
  readonly insert_id?: string | undefined;
  /** Of the person that the event is about, if a server sends it for a client. */
  readonly ip?: string | undefined;
  readonly user_agent?: string | undefined;
  /** What the server knows of the person's browser, place or page, by the names that queries use (`_browser`, `_country`, `_url`, …). */
  readonly [stated: `_${string}`]: string | number | undefined;
  /** The client's own request, passed on. */
  readonly clientOriginated?: boolean | undefined;
}

export interface Identify {
  readonly user_id: string | number;
  readonly device_id?: string | number | undefined;
  /** When this was so; default: when it arrives. What changed later stays. */
  readonly time?: string | number | Date | undefined;
  readonly user_properties?: Properties | undefined;
  readonly user_property_ops?:
    | {
        readonly $set?: Properties | undefined;
        readonly $set_once?: Properties | undefined;
        readonly $add?: Readonly<Record<string, number>> | undefined;
        readonly $unset?: readonly string[] | undefined;
      }
    | undefined;
}

export interface ClientOptions {
  /** `pk_`, `sk_` or `aat_`; for queries `sk_`, or `aat_` with the scope `query`. */
  readonly key: string;
  /** The address of the service. */
  readonly host: string;
  /** Most items that wait in memory, 10,000 by default. Further ones are dropped and reported to `onError`. */
  readonly most?: number | undefined;
  /** Where items wait instead of in memory: `fileQueue(…)` of `windlass-client/file-queue`. */
  readonly queue?: ClientQueue | undefined;
  /** Called with everything that goes wrong; `track` and `identify` never throw. */
  readonly onError?: ((error: WindlassError) => void) | undefined;
  /**
   * Called with how many items are kept back because they are older than 7 days: the server has forgotten their insert ids, so
   * that what it has already would be there twice. They stay in the queue until `flush({ expired: true })` sends them.
   */
  readonly onExpired?: ((items: number) => void) | undefined;
  /** From an edge runtime, which ends a program once it has answered: called with every promise of sending. */
  readonly waitUntil?: ((sending: Promise<void>) => void) | undefined;
  /** `server`, unless there is a window: events get no browser, device or location of the sending machine. */
  readonly origin?: 'server' | 'client' | undefined;
  /** Of a request, ms; 30 s by default. */
  readonly timeoutMs?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
}

/** Its functions may be destructured. */
export interface Client {
  /** Never blocks or throws. */
  track(this: void, event: Event): void;
  identify(this: void, identify: Identify): void;
  /** Sends what waits. Resolves when everything is sent, or has to wait. `expired`: also what is kept back, see `onExpired`. */
  flush(this: void, options?: { readonly expired?: boolean | undefined }): Promise<void>;
  /** Sends what waits and closes; later items are dropped. Resolves with how many items could not be sent. */
  close(this: void): Promise<number>;
  /** Rows of a query, typed by the caller. */
  query<Row = Record<string, unknown>>(
    this: void,
    q: string,
    options?: QueryOptions & { format?: 'json' | undefined },
  ): Promise<Row[]>;
  /** The answer as text: Markdown (`llm`) or CSV. */
  query(this: void, q: string, options: QueryOptions & { format: TextFormat }): Promise<string>;
  /** All rows, page by page; `limit` is per page, 10,000 by default. */
  pages<Row = Record<string, unknown>>(this: void, q: string, options?: QueryOptions): AsyncGenerator<Row[]>;
}

/** Events per request; a server has many. */
const BATCH = 500;
const TIMEOUT_MS = 30_000;
const MOST = 10_000;

/** Starts nothing until it is used, so a module may call it at the top. */
export function createClient(options: ClientOptions): Client {
  const { key, onError, waitUntil, timeoutMs = TIMEOUT_MS } = options;
  const host = (options.host ?? '').replace(/\/+$/, ''); // an unset variable must not end the program
  const send: typeof fetch = options.fetch ?? ((...args) => fetch(...args));
  const origin = options.origin ?? ('window' in globalThis ? 'client' : 'server');
  const asking = { host, key, fetch: send, timeoutMs };
  let closed = false;
  /** Nothing more is sent: the client is closed, or its queue has failed. */
  let ended = false;
  let asked = false;

  const tell = (error: WindlassError): void => {
    try {
      onError?.(error);
    } catch {
      // An error in a program's handler must not reach the caller.
    }
  };
  const guarded = guardedQueue(options.queue ?? new MemoryQueue(options.most ?? MOST), (cause) => {
    ended = true; // it may be unable to remove what was sent
    tell(new WindlassError('The queue failed; nothing more is sent', { trouble: 'file', cause }));
  });
  const queue = freshQueue(guarded, (items) => {
    try {
      options.onExpired?.(items);
    } catch (cause) {
      tell(new WindlassError('onExpired failed', { trouble: 'usage', cause }));
    }
  });
  const delivery: Delivery = createDelivery({
    queue,
    post: createPost(`${host}/`, { key, fetch: send, timeoutMs }),
    batch: BATCH,
    allowed: () => !ended,
    onTrouble: (status, items) => tell(troubleOf(status, items)),
    onTimer: keepNoProcess,
  });

  const add = (kind: Kind, make: (id: string) => unknown): void => {
    const id = uuidv7();
    const text = textOf(() => make(id));
    if (text instanceof WindlassError) return tell(text);
    if (closed) return tell(new WindlassError('The client is closed', { trouble: 'full', items: 1 }));
    if (!queue.add({ id, kind, text })) {
      if (!ended) tell(new WindlassError('The queue is full', { trouble: 'full', items: 1 }));
      return;
    }
    delivery.added();
    if (waitUntil === undefined || asked) return;
    asked = true; // once for everything that a task tracks
    const sending = Promise.resolve().then(() => {
      asked = false;
      return delivery.flush();
    });
    try {
      waitUntil(sending);
    } catch (cause) {
      tell(new WindlassError('waitUntil failed; what was tracked may not be sent', { trouble: 'usage', cause }));
    }
  };

  if (queue.size() > 0) delivery.added();
  return {
    track: (event) => add('track', (id) => sentEvent(event, id, origin)),
    identify: (identify) => add('identify', () => ({ ...identify })),
    flush: ({ expired = false } = {}) => {
      if (expired) queue.release();
      return delivery.flush();
    },
    async close() {
      closed = true;
      await delivery.flush();
      ended = true;
      const left = queue.size();
      await queue.close?.();
      return left;
    },
    query: (q: string, asked: AnyOptions = {}) => queryIn(asking, q, asked),
    pages: (q, asked) => queryPages(asking, q, asked),
  };
}

type AnyOptions = QueryOptions & { format?: 'json' | TextFormat | undefined };

function queryIn(asking: Asking, q: string, options: AnyOptions): Promise<never> {
  const { format = 'json' } = options;
  const answer: Promise<unknown> =
    format === 'json' ? queryRows(asking, q, options) : queryText(asking, q, { ...options, format });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- which of the two it is stands in the overloads of Client
  return answer as Promise<never>;
}

/** What is made, as JSON, or why it cannot be. */
function textOf(make: () => unknown): string | WindlassError {
  try {
    return JSON.stringify(make());
  } catch (cause) {
    if (cause instanceof WindlassError) return cause;
    return new WindlassError('This cannot be sent as JSON', { trouble: 'usage', items: 1, cause });
  }
}

/** The event as it is sent. Throws if it is none: the server takes such an event with the others, and drops it. */
function sentEvent(event: Event, id: string, origin: 'server' | 'client') {
  if (!/\S/.test(event.event_type ?? ''))
    throw new WindlassError('An event needs an event_type', { trouble: 'usage', items: 1 });
  return {
    ...event,
    insert_id: event.insert_id ?? id,
    time: event.time ?? Date.now(),
    library: `windlass-client/${VERSION}`,
    ...(origin === 'server' && event.clientOriginated !== true ? { origin } : {}),
  };
}

function createPost(
  base: string,
  { key, fetch, timeoutMs }: { key: string; fetch: typeof globalThis.fetch; timeoutMs: number },
): Post {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  return async (kind, body) => {
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await fetch(base + kind, { method: 'POST', headers, body, signal });
      await response.arrayBuffer(); // so that the connection can be reused
      return { status: response.status, wait: waitOf(response.headers) };
    } catch {
      return { status: 0, wait: NaN };
    }
  };
}

/** In Node, a waiting timer must not keep the process alive. */
function keepNoProcess(timer: unknown): void {
  const unref: unknown = Reflect.get(Object(timer), 'unref');
  if (typeof unref === 'function') Reflect.apply(unref, timer, []);
}
