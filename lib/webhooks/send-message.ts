/** One try to deliver a message, signed as in the Standard Webhooks specification (version 1 of its signatures). */
import { createHmac } from 'node:crypto';
import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { codeOf } from '../base/errors.ts';
import { VERSION } from '../base/version.ts';

export interface Receiver {
  readonly url: string;
  readonly secret: Uint8Array;
  /** Whether its address may be private. */
  readonly allowPrivate: boolean;
}

export interface ReceiverReply {
  readonly delivered: boolean;
  /** The status, or why there was none. */
  readonly answer: string;
}

/** Receivers should answer before they do their work. Milliseconds. */
const PATIENCE = 10_000;

/** Follows no redirects and does not read the body. Rejects only when `signal` aborts it. */
export async function sendMessage(
  receiver: Receiver,
  message: { readonly id: string; readonly body: string },
  signal: AbortSignal,
): Promise<ReceiverReply> {
  try {
    const status = await post(receiver, message, AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]));
    return { delivered: status >= 200 && status < 300, answer: String(status) };
  } catch (error) {
    if (signal.aborted) throw error;
    return { delivered: false, answer: reasonOf(error) };
  }
}

/** `id.timestamp.body`, so that neither time nor id can be changed. `at`: seconds since the epoch. */
function signatureOf(secret: Uint8Array, { id, body }: { id: string; body: string }, at: number): string {
  return `v1,${createHmac('sha256', secret).update(`${id}.${at}.${body}`).digest('base64')}`;
}

function post(
  { url, secret, allowPrivate }: Receiver,
  message: { id: string; body: string },
  signal: AbortSignal,
): Promise<number> {
  const target = new URL(url);
  if (!allowPrivate) checkHost(target.hostname);
  const at = Math.floor(Date.now() / 1_000);
  const options = {
    method: 'POST',
    agent: false,
    signal,
    ...(allowPrivate ? {} : { lookup: lookUpPublic }),
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(message.body),
      'user-agent': `Windlass/${VERSION}`,
      'webhook-id': message.id,
      'webhook-timestamp': String(at),
      'webhook-signature': signatureOf(secret, message, at),
    },
  };
  return new Promise((resolve, reject) => {
    const sent = (target.protocol === 'https:' ? secure : plain)(target, options);
    sent.once('response', (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    sent.on('error', reject);
    sent.end(message.body);
  });
}

function reasonOf(error: unknown): string {
  if (error instanceof PrivateAddress) return error.message;
  if (!(error instanceof Error)) return 'failed';
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return `no answer within ${PATIENCE / 1_000} s`;
  return codeOf(error) || error.name;
}

/** The receiver is on a private network: nothing is sent there unless the host allows it. */
class PrivateAddress extends Error {
  constructor() {
    super('the address is private: WINDLASS_WEBHOOK_PRIVATE allows it');
    this.name = 'PrivateAddress';
  }
}

/** Throws PrivateAddress for a host that is a private address, as those are not looked up. */
function checkHost(hostname: string): void {
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0 && !isPublic(bare)) throw new PrivateAddress();
}

/** Like `dns.lookup`, without private addresses: the connection uses the address that was checked. */
const lookUpPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '');
    const outside = addresses.filter(({ address }) => isPublic(address));
    const [first] = outside;
    if (first === undefined) return callback(new PrivateAddress(), '');
    if (options.all === true) callback(null, outside);
    else callback(null, first.address, first.family);
  });
};

/** All of IPv6 that is given out so far (RFC 4291); below it are forms of IPv4 addresses such as `::127.0.0.1`. */
const GIVEN_OUT = ipaddr.parseCIDR('2000::/3');

/** Whether it is on the public internet: not loopback, private, link-local, shared, multicast, nor a tunnel to one of these. */
function isPublic(address: string): boolean {
  const found = ipaddr.process(address);
  return found.range() === 'unicast' && (found.kind() === 'ipv4' || found.match(GIVEN_OUT));
}
