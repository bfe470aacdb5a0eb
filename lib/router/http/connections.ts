/**
 * Client connections: bounded in total and by address, since each takes a descriptor and files need some too. At a limit, an idle
 * one makes room for the next: silent ones first, then those kept alive between requests. The next is refused only if all are
 * busy.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../base/config/config.ts';
import { descriptorLimit, planDescriptors } from '../../base/config/descriptors.ts';
import { LinkedList, type Place } from '../../base/linked-list.ts';

/** A connection without a request is cut after this. Clients that open one ahead reopen it. Milliseconds. */
const SILENT_MS = 10_000;
const SWEEPS = 10;

export interface ConnectionLimits {
  /** Of all addresses together. */
  readonly total: number;
  readonly ofAddress: number;
  /** Where a connection comes from; null: a trusted proxy, which speaks for many. */
  readonly addressOf: (socket: Socket) => string | null;
  /** Milliseconds that a connection may be silent, for tests. */
  readonly silence?: number;
}

/**
 * Requests that a connection may have unanswered. Node reads 64 KiB at a time, and begins all requests in them before anybody else is
 * served: of the shortest these are 1,800, a tenth of a second for each connection. The last of these closes the connection, and
 * those after it are not begun, as if they had not come.
 */
const PIPELINED = 256;

/** The share of all that one address may have, by default. */
const SHARE = 0.75;

/**
 * Reads nothing more: Node would go on for two megabytes before others have a turn. For each request that it has begun it makes an error
 * when the connection closes, whose stack would take longer than all else, and nobody looks at.
 */
function leaveRest(socket: Socket): void {
  socket.pause();
  const { stackTraceLimit } = Error;
  socket.prependOnceListener('close', () => (Error.stackTraceLimit = 0));
  socket.once('close', () => (Error.stackTraceLimit = stackTraceLimit));
}

/** The limits as configured, and as file descriptors allow. */
export function connectionBounds(config: Config): { readonly total: number; readonly ofAddress: number } {
  const { connections: possible } = planDescriptors(descriptorLimit(), config);
  const total = Math.min(config.connections ?? possible, possible);
  return { total, ofAddress: config.connectionsPerAddress ?? Math.ceil(total * SHARE) };
}

interface ClientConnection {
  readonly socket: Socket;
  readonly address: string | null;
  readonly since: number;
  /** Requests begun, and how many of them are unanswered. */
  requests: number;
  running: number;
  /** Whether it has had more unanswered ones than it may. */
  isOver: boolean;
}

export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #silence: number;
  readonly #all = new Map<Socket, Place<ClientConnection>>();
  /** In the order in which they last became idle. */
  readonly #order = new LinkedList<ClientConnection>();
  readonly #byAddress = new Map<string, number>();
  /** Connections that found no room, and those cut because they were silent or others needed the room. */
  readonly counts = { refused: 0, cut: 0 };

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
    this.#silence = limits.silence ?? SILENT_MS;
  }

  /** How many may be open. */
  get limit(): number {
    return this.#limits.total;
  }

  get open(): number {
    return this.#all.size;
  }

  /** Whether the connection has so many requests unanswered that this one is not to be begun. */
  isOver({ socket }: IncomingMessage): boolean {
    return this.#all.get(socket)?.value.isOver === true;
  }

  /** Limits the connections of a server until it is closed. */
  guard(server: Server): void {
    const sweeper = setInterval(() => this.#cutSilent(), this.#silence / SWEEPS).unref();
    server.on('connection', (socket: Socket) => this.#take(socket));
    const began = (request: IncomingMessage, response: ServerResponse): void => this.#began(request, response);
    for (const event of ['request', 'checkContinue', 'checkExpectation'] as const) server.prependListener(event, began);
    server.once('close', () => clearInterval(sweeper));
  }

  #began({ socket }: IncomingMessage, response: ServerResponse): void {
    const place = this.#all.get(socket);
    if (place === undefined || place.value.isOver) return;
    place.value.requests++;
    place.value.isOver = place.value.running === PIPELINED;
    if (place.value.isOver) return leaveRest(socket);
    if (++place.value.running === PIPELINED) response.setHeader('Connection', 'close');
    response.once('close', () => {
      place.value.running--;
      this.#order.moveToEnd(place); // it has been idle for the shortest time
    });
  }

  #take(socket: Socket): void {
    const address = this.#limits.addressOf(socket);
    const { total, ofAddress } = this.#limits;
    const full = address !== null && (this.#byAddress.get(address) ?? 0) >= ofAddress;
    const room = full ? this.#makeRoom((other) => other.address === address) : true;
    if (!room || (this.#all.size >= total && !this.#makeRoom(() => true))) return this.#refuse(socket);
    this.#all.set(
      socket,
      this.#order.push({ socket, address, since: performance.now(), requests: 0, running: 0, isOver: false }),
    );
    if (address !== null) this.#byAddress.set(address, (this.#byAddress.get(address) ?? 0) + 1);
    socket.once('close', () => this.#forget(socket));
  }

  /** Cuts the connection that has been idle for longest, preferring silent ones. False: all are busy. */
  #makeRoom(among: (connection: ClientConnection) => boolean): boolean {
    let idle: ClientConnection | null = null;
    for (const connection of this.#order) {
      if (connection.running > 0 || !among(connection)) continue;
      if (connection.requests === 0) {
        idle = connection;
        break;
      }
      idle ??= connection;
    }
    if (idle === null) return false;
    this.#cutOff(idle);
    return true;
  }

  #cutSilent(): void {
    const oldest = performance.now() - this.#silence;
    for (const connection of this.#order)
      if (connection.requests === 0 && connection.since < oldest) this.#cutOff(connection);
  }

  #cutOff({ socket }: ClientConnection): void {
    this.counts.cut++;
    this.#forget(socket);
    socket.destroy();
  }

  /** Without an answer: whatever it sends would still be read and executed. */
  #refuse(socket: Socket): void {
    this.counts.refused++;
    socket.destroy();
  }

  #forget(socket: Socket): void {
    const place = this.#all.get(socket);
    if (place === undefined) return;
    this.#all.delete(socket);
    this.#order.remove(place);
    const { address } = place.value;
    if (address === null) return;
    const left = this.#byAddress.get(address)! - 1;
    if (left > 0) this.#byAddress.set(address, left);
    else this.#byAddress.delete(address);
  }
}
