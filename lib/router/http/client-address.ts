/** Who sends a request: the peer of the socket, or the client that a trusted proxy names. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Cidr } from '../../base/config/setting-types.ts';

/** Replaces the address of a connection that no longer has one. */
const UNKNOWN = 'unknown';

/** `ip` is the client's address; `trusted`: the peer is a trusted proxy, so its headers about the client count. */
export interface Client {
  readonly ip: string | null;
  readonly trusted: boolean;
}

/** Finds clients by the list of trusted proxies and the header (lower case) in which they name the client. */
export class ClientAddresses {
  readonly #proxies: readonly Cidr[];
  readonly #header: string;
  readonly #trust = new Map<string, boolean>();
  /** What does not change while a connection lasts. */
  readonly #peers = new WeakMap<Socket, string>();

  constructor(proxies: readonly Cidr[], header: string) {
    this.#proxies = proxies;
    this.#header = header;
  }

  /**
   * The client of a request: the rightmost address in the list that is not a trusted proxy, since what is left of it was written
   * by the client and may be a lie. If all are proxies, the leftmost.
   */
  of(request: IncomingMessage): Client {
    const peer = this.#peerOf(request.socket);
    if (peer === null || !this.#trusts(peer)) return { ip: peer, trusted: false };
    const header = request.headers[this.#header];
    const named = typeof header === 'string' ? header.split(',') : [];
    let ip = peer;
    for (let i = named.length - 1; i >= 0; i--) {
      const next = plainAddress(withoutPort(named[i]?.trim() ?? ''));
      if (next === null) break;
      ip = next;
      if (!this.#trusts(next)) break;
    }
    return { ip, trusted: true };
  }

  /** The network that a connection comes from; null: a trusted proxy, which speaks for many. */
  networkOf({ remoteAddress }: Socket): string | null {
    const peer = plainAddress(remoteAddress);
    if (peer === null) return UNKNOWN;
    return this.#trusts(peer) ? null : networkOf(peer);
  }

  #peerOf(socket: Socket): string | null {
    const known = this.#peers.get(socket);
    if (known !== undefined) return known;
    const peer = plainAddress(socket.remoteAddress);
    if (peer !== null) this.#peers.set(socket, peer);
    return peer;
  }

  #trusts(ip: string): boolean {
    if (this.#proxies.length === 0) return false;
    const known = this.#trust.get(ip);
    if (known !== undefined) return known;
    const parsed = ipaddr.process(ip);
    const trusted = this.#proxies.some(([range, bits]) => parsed.kind() === range.kind() && parsed.match(range, bits));
    if (this.#trust.size >= 1_000) this.#trust.clear(); // peers whose trust is cached; far more proxies than anyone has
    this.#trust.set(ip, trusted);
    return trusted;
  }
}

/** The address, without the IPv6 prefix of an IPv4 address; null if it is not one. */
function plainAddress(text: string | undefined): string | null {
  if (text === undefined) return null;
  const bare = text.startsWith('::ffff:') && text.includes('.') ? text.slice('::ffff:'.length) : text;
  return ipaddr.isValid(bare) && (bare.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(bare)) ? bare : null;
}

/** Some proxies append a port: `1.2.3.4:5678`, `[::1]:80`. */
function withoutPort(text: string): string {
  const match = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text);
  return match?.[1] ?? text;
}

/** What counts as one address: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(ip: string): string {
  if (!ip.includes(':') || !ipaddr.IPv6.isValid(ip)) return ip;
  return ipaddr.IPv6.parse(ip).parts.slice(0, 4).join(':'); // groups: a /64 is one customer's, with 2^64 addresses to use
}
