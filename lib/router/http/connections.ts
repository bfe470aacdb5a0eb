/**
 * Client connections: bounded in total and by address, since each takes a descriptor and files need some too. At a limit, an idle
 * one makes room for the next: silent ones first, then those kept alive between requests. The next is refused only if all are
 * busy.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../base/config/config.ts';
import { descriptorLimit, planDescriptors } from '../../base/config/descriptors.ts';

/** A connection without a request is cut after this. Clients that open one ahead reopen it. Milliseconds. */
const SILENT_MS = 10_000;

export interface ConnectionLimits {
  /** Of all addresses together. */
  readonly total: number;
  readonly ofAddress: number;
  /** Where a connection comes from; null: a trusted proxy, which speaks for many. */
  readonly addressOf: (socket: Socket) => string | null;
  /** Milliseconds that a connection may be silent, for tests. */
  readonly silence?: number;
}

/** The limits as configured, and as file descriptors allow. */
export function connectionBounds(config: Config): { readonly total: number; readonly ofAddress: number } {
  const { connections: possible } = planDescriptors(descriptorLimit(), config);
  const total = Math.min(config.connections ?? possible, possible);
  // The share of all that one address may have, by default.
  return { total, ofAddress: config.connectionsPerAddress ?? Math.ceil(total * 0.75) };
}

interface ClientConnection {
  readonly socket: Socket;
  readonly address: string | null;
  readonly since: number;
  /** Requests that came, and how many of them are unanswered. */
  requests: number;
  running: number;
}

export class ClientConnections {
  readonly #limits: ConnectionLimits;
  readonly #silence: number;
  /** In the order in which they last became idle. */
  readonly #all = new Map<Socket, ClientConnection>();
  readonly #byAddress = new Map<string, number>();
  /** ClientConnections that found no room, and those cut because they were silent or others needed the room. */
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

  /** Limits the connections of a server until it is closed. */
  guard(server: Server): void {
    const sweeper = setInterval(() => this.#cutSilent(), this.#silence / 10).unref();
    server.on('connection', (socket: Socket) => this.#take(socket));
    const began = (request: IncomingMessage, response: ServerResponse): void => this.#began(request, response);
    for (const event of ['request', 'checkContinue', 'checkExpectation'] as const) server.prependListener(event, began);
    server.once('close', () => clearInterval(sweeper));
  }

  #began({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = this.#all.get(socket);
    if (connection === undefined) return;
    connection.requests++;
    connection.running++;
    response.once('close', () => {
      connection.running--;
      if (this.#all.delete(socket)) this.#all.set(socket, connection); // it has been idle for the shortest time
    });
  }

  #take(socket: Socket): void {
    const address = this.#limits.addressOf(socket);
    const { total, ofAddress } = this.#limits;
    const full = address !== null && (this.#byAddress.get(address) ?? 0) >= ofAddress;
    const room = full ? this.#makeRoom((other) => other.address === address) : true;
    if (!room || (this.#all.size >= total && !this.#makeRoom(() => true))) return this.#refuse(socket);
    this.#all.set(socket, { socket, address, since: performance.now(), requests: 0, running: 0 });
    if (address !== null) this.#byAddress.set(address, (this.#byAddress.get(address) ?? 0) + 1);
    socket.once('close', () => this.#forget(socket));
  }

  /** Cuts the connection that has been idle for longest, preferring silent ones. False: all are busy. */
  #makeRoom(among: (connection: ClientConnection) => boolean): boolean {
    let idle: ClientConnection | null = null;
    for (const connection of this.#all.values()) {
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
    for (const connection of this.#all.values())
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
    const connection = this.#all.get(socket);
    if (connection === undefined) return;
    this.#all.delete(socket);
    const { address } = connection;
    if (address === null) return;
    const left = this.#byAddress.get(address)! - 1;
    if (left > 0) this.#byAddress.set(address, left);
    else this.#byAddress.delete(address);
  }
}
