/**
 * Tells the host what happens, at a receiver of its choice. Messages stay in the control database until delivered, so a restart
 * loses none; the receiver may get one twice, with the same id.
 */
import type { HostEvent, LimitReached } from '../control/host-event.ts';
import { MAX_MESSAGE_AGE, type DueMessage, type WebhookMessages } from '../control/operator/webhook-messages.ts';
import { AppError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { sendMessage, type Receiver } from './send-message.ts';

/** Interval for checking what to send. Milliseconds. */
const WATCH_MS = 200;
/** News not yet in the database, from a fifth of a second. */
const MAX_NEWS = 1_000;
/** News known to be stored, so that events of every request need no database query; when full, each is checked once more. */
const MAX_TOLD = 10_000;
/** Tries per message, including the first. */
const MAX_TRIES = 10;
/** Each pause is this many times as long as the one before. */
const GROWTH = 6;
const MAX_PAUSE = 43_200_000; // ms

interface Parts {
  readonly messages: Pick<WebhookMessages, 'takeUp' | 'addOnce' | 'next' | 'tried' | 'release'>;
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
  #timer: NodeJS.Timeout | null = null;
  /** By what identifies them. */
  readonly #news = new Map<string, HostEvent>();
  readonly #told = new Set<string>();
  #running: Promise<void> | null = null;
  #failing = false;
  /** Since the start. */
  readonly counts = { delivered: 0, failed: 0, givenUp: 0 };

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Call before the service does anything: from here on everything is reported. */
  async watch(): Promise<void> {
    await this.#parts.messages.takeUp(this.#parts.queue);
    this.#timer = setInterval(() => this.#look(), WATCH_MS).unref();
  }

  /** A limit that stopped somebody: reported once per project, limit and UTC month. Costs almost nothing. */
  limitReached(data: LimitReached): void {
    this.#tell(`limit ${data.limit} ${data.project_id ?? data.org_id} ${thisMonth()}`, { type: 'limit.reached', data });
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
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#ended.abort();
    await this.#running;
    try {
      await this.#writeNews();
    } catch (error) {
      this.#parts.log.error({ err: error }, 'a webhook message was lost: it could not be written');
    }
  }

  #tell(once: string, event: HostEvent): void {
    if (!this.#told.has(once) && this.#news.size < MAX_NEWS) this.#news.set(once, event);
  }

  #look(): void {
    this.#running ??= this.#work()
      .then(() => (this.#failing = false))
      .catch((error: unknown) => {
        if (!this.#failing && !this.#ended.signal.aborted)
          this.#parts.log.error({ err: error }, 'webhooks cannot be read or written; they will be retried');
        this.#failing = true;
      })
      .then(() => void (this.#running = null));
  }

  /** Takes news between messages too: a receiver that does not answer delays the next message, but no news. */
  async #work(): Promise<void> {
    const { messages, queue } = this.#parts;
    while (!this.#ended.signal.aborted) {
      await messages.takeUp(queue);
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
    if (this.#told.size > MAX_TOLD) this.#told.clear();
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
 * When to retry a message that was not delivered, milliseconds since the epoch; null: not again. `pause`: before the second try,
 * ms. `random`, from 0 to 1, lengthens a pause by up to a quarter, so that a receiver that recovers does not get all messages at
 * once.
 */
export function nextTry(
  { tries, madeAt }: Pick<DueMessage, 'tries' | 'madeAt'>,
  { pause, now, random }: { readonly pause: number; readonly now: number; readonly random: number },
): number | null {
  if (tries + 1 >= MAX_TRIES) return null;
  const dueAt = Math.round(now + Math.min(MAX_PAUSE, pause * GROWTH ** tries) * (1 + random / 4));
  return dueAt - madeAt > MAX_MESSAGE_AGE ? null : dueAt;
}

function thisMonth(): string {
  return new Date().toISOString().slice(0, 'YYYY-MM'.length);
}
