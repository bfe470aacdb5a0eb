/** Sends mail through the host's server. What cannot be sent in some minutes, or is left at the end of the process, is lost, and logged. */
import { setTimeout as after } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import PQueue from 'p-queue';
import { codeOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { htmlLetter, plainLetter, type Letter } from './letter.ts';

/** Letters that may wait: those of an hour to a slow server. Further ones are lost, and counted. */
const MOST_WAITING = 1_000;
/** Pauses before the second and further tries, in units of the first; a login link does not live longer. */
const PAUSES = [1, 6, 24] as const;

interface Options {
  /** smtp:// or smtps://, with user and password if the server wants them. */
  readonly url: string;
  /** The sender, as in a header: `Name <address>`. */
  readonly from: () => string;
  /** How long the server may take to connect, to greet and to answer; and before a second try. Milliseconds. */
  readonly patience: number;
  readonly pause: number;
  readonly log: Log;
}

/** What came of a letter. */
export interface LetterTry {
  readonly delivered: boolean;
  /** In words. */
  readonly answer: string;
  /** Another try would get the same answer. */
  readonly isFinal?: boolean;
  /** Letters to others would get it now, too. */
  readonly isForAll?: boolean;
}

export class Mailer {
  readonly #options: Options;
  readonly #transport: ReturnType<typeof transportOf>;
  readonly #queue = new PQueue({ concurrency: 2 });
  readonly #ended = new AbortController();
  #left = 0;
  /** Since the start. */
  readonly counts = { sent: 0, failed: 0, lost: 0 };

  constructor(options: Options) {
    this.#options = options;
    this.#transport = transportOf(options);
  }

  /** Returns at once. @param what Kind of letter, for the log, which names no address. */
  send(to: string, what: string, letter: Letter): void {
    if (this.#left >= MOST_WAITING || this.#ended.signal.aborted) return this.#lose(what, 'too many wait');
    this.#left++;
    void this.#deliver(to, what, letter).finally(() => this.#left--);
  }

  /** Sends a letter once, for who keeps it and tries again. One that still waits when `signal` is aborted is not sent. */
  async trySend(to: string, letter: Letter, signal: AbortSignal): Promise<LetterTry> {
    const code = await this.#tryLater(0, { to, letter, signal });
    if (code === null) return { delivered: true, answer: 'taken' };
    if (code === ENDED) return { delivered: false, answer: 'the service ended', isForAll: true };
    this.counts.failed++;
    const answer = `the mail server did not take it (${code})`;
    return { delivered: false, answer, isFinal: REFUSED.test(code), isForAll: !ANSWERED.test(code) };
  }

  /** Those on their way may end; those that wait are lost. */
  async close(): Promise<void> {
    this.#ended.abort();
    await this.#queue.onIdle();
    this.#transport.close();
  }

  async #deliver(to: string, what: string, letter: Letter): Promise<void> {
    for (const pause of [0, ...PAUSES]) {
      const code = await this.#tryLater(pause * this.#options.pause, { to, letter });
      if (code === null) return;
      if (code === ENDED) return this.#lose(what, 'the service ended');
      this.counts.failed++;
      this.#options.log.warn({ mail: what, code }, 'the mail server did not take a letter');
      if (REFUSED.test(code)) break;
    }
    this.#lose(what, 'the mail server did not take it');
  }

  /** null: it is sent; else why not. */
  async #tryLater(pause: number, sent: { readonly to: string; readonly letter: Letter; readonly signal?: AbortSignal }): Promise<string | null> {
    const signal = AbortSignal.any([this.#ended.signal, ...(sent.signal === undefined ? [] : [sent.signal])]);
    const isEnded = await after(pause, false, { signal }).catch(() => true);
    return isEnded ? ENDED : this.#queue.add(async () => (signal.aborted ? ENDED : this.#try(sent)));
  } // prettier-ignore

  async #try({ to, letter }: { readonly to: string; readonly letter: Letter }): Promise<string | null> {
    const { subject, attachments = [] } = letter;
    const message = { subject, text: plainLetter(letter), html: htmlLetter(letter), attachments: [...attachments] };
    try {
      await this.#transport.sendMail({ from: this.#options.from(), to: { name: '', address: to }, ...message });
      this.counts.sent++;
      return null;
    } catch (error) {
      const status = error instanceof Error && 'responseCode' in error ? ` ${String(error.responseCode)}` : '';
      return `${codeOf(error) || 'ERROR'}${status}`;
    }
  }

  #lose(what: string, why: string): void {
    this.counts.lost++;
    this.#options.log.error({ mail: what }, `a letter is lost: ${why}`);
  }
}

const ENDED = 'ended';

/** Answers that a second try would get again: the server says that it will not take it (RFC 5321, 4.2.1). */
const REFUSED = / 5\d\d$/;
/** The server has said something; of others it may say something else. */
const ANSWERED = / \d\d\d$/;

function transportOf({ url, patience }: Options) {
  return createTransport({
    ...{ url, connectionTimeout: patience, greetingTimeout: patience, socketTimeout: patience, dnsTimeout: patience },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
}
