/**
 * What each connection has asked. A client may send requests ahead; they begin one after another, each once the answer before it is
 * with the system, in a turn of the event loop of its own. While many wait, their connection is not read. So a connection never keeps
 * more than one answer in memory, of whatever endpoint, and hundreds of requests that come in one piece delay nobody else.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Requests that a connection may have unanswered. Node reads 64 KiB at a time and makes objects of all requests in them, of the
 * shortest 3,600. The last of these closes the connection, and those after it never begin, as if they had not come.
 */
const SENT_AHEAD = 256;

/** While fewer wait, the connection is read on: else nobody would notice that its client has left. */
const FEW_WAITING = 16;

/**
 * Requests that may wait on all connections together: each takes up to 10 KB. A request with many headers counts for more, one for
 * each so many names and values. A connection whose next one finds no room is cut.
 */
const MOST_WAITING = 16_384;
const HEADERS_OF_ONE = 16;

/** The exchanges of all connections of a server. */
export class Exchanges {
  readonly #listener: RequestListener;
  readonly #byConnection = new WeakMap<Duplex, ConnectionExchanges>();
  readonly #waiting = { all: 0 };

  /** @param listener Begins a request. */
  constructor(listener: RequestListener) {
    this.#listener = listener;
  }

  /** Takes the requests of a server. */
  take(server: Server): void {
    const came = (request: IncomingMessage, response: ServerResponse): void => this.#of(request.socket).add(response);
    for (const event of ['request', 'checkContinue', 'checkExpectation'] as const) server.on(event, came);
  }

  /** null: it has asked nothing yet. */
  on(connection: Duplex): Pick<ConnectionExchanges, 'last' | 'unanswered'> | null {
    return this.#byConnection.get(connection) ?? null;
  }

  #of(socket: Socket): ConnectionExchanges {
    let exchanges = this.#byConnection.get(socket);
    if (exchanges === undefined) {
      exchanges = new ConnectionExchanges(socket, this.#listener, this.#waiting);
      this.#byConnection.set(socket, exchanges);
    }
    return exchanges;
  }
}

class ConnectionExchanges {
  readonly #socket: Socket;
  readonly #listener: RequestListener;
  readonly #waitingOfAll: { all: number };
  /** As they count among those of all connections. */
  #waiting = 0;
  /** In order. The first has begun, or does so in the next turn. */
  readonly unanswered: ServerResponse[] = [];
  last: ServerResponse | null = null;
  #isFull = false;
  /** null: no request has ever waited. */
  #isUnread: boolean | null = null;

  constructor(socket: Socket, listener: RequestListener, waitingOfAll: { all: number }) {
    this.#socket = socket;
    this.#listener = listener;
    this.#waitingOfAll = waitingOfAll;
  }

  add(response: ServerResponse): void {
    if (this.#socket.destroyed) return;
    if (this.unanswered.length > 0 && !this.#addWaiting(response)) return void this.#socket.destroy();
    if (this.#isFull) return;
    this.last = response;
    this.#isFull = this.unanswered.push(response) === SENT_AHEAD;
    if (this.#isFull) response.setHeader('Connection', 'close');
    response.once('close', () => this.#answered());
    if (this.unanswered.length === 1) this.#listener(response.req, response);
  }

  /** False: those of all connections have no room for it. */
  #addWaiting({ req }: ServerResponse): boolean {
    if (this.#isUnread === null) this.#prepareToWait();
    const weight = weightOf(req);
    this.#waiting += weight;
    this.#waitingOfAll.all += weight;
    if (this.#waiting >= FEW_WAITING) this.#stopReading();
    return this.#waitingOfAll.all <= MOST_WAITING;
  }

  #answered(): void {
    this.unanswered.shift();
    const [next] = this.unanswered;
    if (next !== undefined && this.#socket.writable) setImmediate(() => this.#begin(next));
  }

  #begin(response: ServerResponse): void {
    if (!this.#socket.writable) return; // the client has left, or an answer has closed the connection
    this.#forget(weightOf(response.req));
    if (this.#isUnread === true && this.#waiting < FEW_WAITING && !this.#isFull) this.#readOn();
    this.#listener(response.req, response);
  }

  #forget(weight: number): void {
    this.#waiting -= weight;
    this.#waitingOfAll.all -= weight;
  }

  #prepareToWait(): void {
    this.#isUnread = false;
    // Node lets the connection flow again with the end of each request and while a body is read.
    this.#socket.on('resume', () => {
      if (this.#isUnread === true) this.#socket.pause();
    });
    this.#socket.once('close', () => this.#forget(this.#waiting));
    withoutStacks(this.#socket);
  }

  #stopReading(): void {
    this.#isUnread = true;
    this.#socket.pause();
  }

  #readOn(): void {
    this.#isUnread = false;
    this.#socket.resume();
  }
}

const weightOf = ({ rawHeaders }: IncomingMessage): number => 1 + Math.floor(rawHeaders.length / HEADERS_OF_ONE);

/**
 * For each unanswered request Node makes errors when the connection closes, whose stacks would take longer than all else, and nobody
 * looks at them.
 */
function withoutStacks(socket: Socket): void {
  const { stackTraceLimit } = Error;
  socket.prependOnceListener('close', () => (Error.stackTraceLimit = 0));
  socket.once('close', () => (Error.stackTraceLimit = stackTraceLimit));
}
