/**
 * Tells the host what happens, at a receiver of its choice. Messages stay in the control database until delivered, so a restart
 * loses none; the receiver may get one twice, with the same id.
 */
import type { HostEvent, LimitNear, LimitReached } from '../control/types.ts';
import { MAX_MESSAGE_AGE, type DueMessage, type WebhookMessages } from '../control/operator/webhook-messages.ts';
import { AppError, codeOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { Recurring } from '../base/recurring.ts';
import { createHmac } from 'node:crypto';
import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { VERSION } from '../base/version.ts';

interface Parts {
  readonly messages: Pick<WebhookMessages, 'addAudited' | 'addOnce' | 'next' | 'tried' | 'release'>;
  readonly receiver: Receiver;
  /** Most messages that may wait. */
  readonly queue: number;
  /** Pause before the second try. Milliseconds. */
  readonly pause: number;
  readonly log: Log;
}

export class Webhooks {
  readonly #parts: Parts;
  readonly #ended = new AbortController();
  readonly #looks: Recurring;
  /** By what identifies them. */
  readonly #news = new Map<string, HostEvent>();
  readonly #told = new Set<string>();
  /** Since the start. */
  readonly counts = { delivered: 0, failed: 0, givenUp: 0 };

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#looks = new Recurring({
      every: 200,
      act: () => this.#work(),
      onTrouble: (error) => {
        if (this.#ended.signal.aborted) return;
        parts.log.error({ err: error }, 'webhooks cannot be read or written; they will be retried');
      },
    });
  }

  /** Call before the service does anything: from here on everything is reported. */
  async watch(): Promise<void> {
    await this.#parts.messages.addAudited(this.#parts.queue);
    this.#looks.start();
  }

  /** A limit that stopped somebody: reported once per project, limit and UTC month. Costs almost nothing. */
  limitReached(data: LimitReached): void {
    this.#tell(`limit ${data.limit} ${data.project_id ?? data.org_id} ${thisMonth()}`, { type: 'limit.reached', data });
  }

  /** A share of a month's limit that is used: reported once, too. */
  limitNear(data: LimitNear): void {
    const key = `limit ${data.limit} ${data.percent} ${data.project_id ?? data.org_id} ${thisMonth()}`;
    this.#tell(key, { type: 'limit.near', data });
  }

  /** An error of a request or of background work; a damaged shard is reported once per project and UTC month. */
  trouble(error: unknown, projectId: string | null = null): void {
    if (!(error instanceof AppError) || error.data.code !== 'shard_damaged' || error.data.cause === undefined) return;
    const named = /\bprj_[\w-]{22}/.exec(error.data.cause)?.[0] ?? projectId;
    this.#tell(`shard ${named} ${thisMonth()}`, { type: 'damage.found', data: { where: 'shard', project_id: named } });
  }

  /** Reports a file of the journal, once. */
  journalDamaged(file: string): void {
    this.#tell(`journal ${file}`, { type: 'damage.found', data: { where: 'journal', project_id: null } });
  }

  /** A message on its way is sent again after the next start. */
  async close(): Promise<void> {
    this.#ended.abort();
    await this.#looks.close();
    try {
      await this.#writeNews();
    } catch (error) {
      this.#parts.log.error({ err: error }, 'a webhook message was lost: it could not be written');
    }
  }

  #tell(once: string, event: HostEvent): void {
    // News not yet in the database, from a fifth of a second.
    if (!this.#told.has(once) && this.#news.size < 1_000) this.#news.set(once, event);
  }

  /** Takes news between messages too: a receiver that does not answer delays the next message, but no news. */
  async #work(): Promise<void> {
    const { messages, queue } = this.#parts;
    while (!this.#ended.signal.aborted) {
      await messages.addAudited(queue);
      await this.#writeNews();
      const message = await messages.next();
      if (message === null) return;
      await this.#try(message);
    }
  }

  /** News that find no room are reported when they happen again. */
  async #writeNews(): Promise<void> {
    const news = new Map(this.#news);
    this.#news.clear();
    // News known to be stored, so that events of every request need no database query; when full, each is checked once
    // more.
    if (this.#told.size > 10_000) this.#told.clear();
    for (const once of await this.#parts.messages.addOnce(news, this.#parts.queue)) this.#told.add(once);
  }

  async #try(message: DueMessage): Promise<void> {
    const { messages, receiver, log } = this.#parts;
    const reply = await sendMessage(receiver, message, this.#ended.signal).catch((error: unknown) => {
      if (this.#ended.signal.aborted) return null;
      throw error;
    });
    if (reply === null) return messages.release(message.id); // the next start sends it, or another node
    const { delivered, answer } = reply;
    const due = { pause: this.#parts.pause, now: Date.now(), random: Math.random() };
    const dueAt = delivered ? null : nextTry(message, due);
    await messages.tried(message.id, { answer, delivered, dueAt });
    if (delivered) this.counts.delivered++;
    else this.counts.failed++;
    if (delivered || dueAt !== null) return;
    this.counts.givenUp++;
    log.error({ message: message.id, answer }, 'a webhook was given up');
  }
}

/**
 * When to retry a message that was not delivered, milliseconds since the epoch; null: not again. Pauses grow sixfold, to half a day.
 * `pause`: before the second try, ms. `random`, from 0 to 1, lengthens a pause by up to a quarter, so that a receiver that recovers
 * does not get all messages at once.
 */
export function nextTry(
  { tries, madeAt }: Pick<DueMessage, 'tries' | 'madeAt'>,
  { pause, now, random }: { readonly pause: number; readonly now: number; readonly random: number },
): number | null {
  if (tries + 1 >= 10) return null; // tries per message, including the first
  const dueAt = Math.round(now + Math.min(43_200_000, pause * 6 ** tries) * (1 + random / 4)); // ms
  return dueAt - madeAt > MAX_MESSAGE_AGE ? null : dueAt;
}

function thisMonth(): string {
  return new Date().toISOString().slice(0, 'YYYY-MM'.length);
}

interface Receiver {
  readonly url: string;
  readonly secret: Uint8Array;
  /** Whether its address may be private; the setting that allows it, if it is not that of the host's receiver. */
  readonly allowPrivate: boolean;
  readonly setting?: string;
}

export interface ReceiverReply {
  readonly delivered: boolean;
  /** The status, or why there was none. */
  readonly answer: string;
}

/** Receivers should answer before they do their work. Milliseconds. */
const PATIENCE = 10_000;

/**
 * One try to deliver a message, signed as in the Standard Webhooks specification (version 1 of its signatures). Follows no redirects and
 * does not read the body. Rejects only when `signal` aborts it.
 */
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
    return { delivered: false, answer: reasonOf(error, receiver) };
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

function reasonOf(error: unknown, { setting = 'WINDLASS_WEBHOOK_PRIVATE' }: Receiver): string {
  if (error instanceof PrivateAddress) return `${error.message}: ${setting} allows it`;
  if (!(error instanceof Error)) return 'failed';
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return `no answer within ${PATIENCE / 1_000} s`;
  return codeOf(error) || error.name;
}

/** The receiver is on a private network: nothing is sent there unless the host allows it. */
class PrivateAddress extends Error {
  constructor() {
    super('the address is private');
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
