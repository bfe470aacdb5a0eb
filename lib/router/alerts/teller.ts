/** Tells what alerts have seen, by webhook and mail. What is not taken is tried again, as messages for the host are. */
import PQueue from 'p-queue';
import { discordBody, letterOf, type Notice, slackBody, webhookBody } from '../../alerts/notice.ts';
import { shownTarget } from '../../alerts/alert.ts';
import { utcDay } from '../../base/day.ts';
import type { Log } from '../../base/log.ts';
import { Recurring } from '../../base/recurring.ts';
import { exportPage } from '../../dashboards/page/export-page.ts';
import type { ControlDatabase } from '../../control/database.ts';
import type { DueNotice, Telling } from '../../control/projects/alert-runs.ts';
import { nextTry, sendMessage } from '../../webhooks/webhooks.ts';
import type { Mail } from '../mail/mail.ts';
import type { LetterTry } from '../mail/mailer.ts';
import { alertSecret } from '../alert-secret.ts';
import { isMember } from './recipients.ts';

/** Runs of which somebody is told at once. */
const AT_ONCE = 8;
/** How long a run is nobody else's, ms: longer than a hook and a mail server may take, ten of each. */
const LEASE_MS = 15 * 60_000;

interface Parts {
  readonly control: Pick<ControlDatabase, 'alerts' | 'members' | 'projects' | 'signingKey'>;
  /** null: the host sends no mail. */
  readonly mail: Pick<Mail, 'alert'> | null;
  /** Whether hooks may have private addresses. */
  readonly allowPrivate: boolean;
  /** Before the second try. Milliseconds. */
  readonly pause: number;
  readonly log: Log;
  /** A clock, for tests. */
  readonly now?: () => number;
}

export class AlertTeller {
  readonly #parts: Parts;
  readonly #queue = new PQueue({ concurrency: AT_ONCE });
  readonly #ended = new AbortController();
  readonly #looks: Recurring;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#looks = new Recurring({
      every: 1_000,
      act: () => this.look(),
      onTrouble: (error) => parts.log.error({ err: error }, 'messages of alerts cannot be read or written; they will be retried'),
    });
  } // prettier-ignore

  start(): void {
    this.#looks.start();
  }

  /** What is on its way is given back, and sent after the next start; what was delivered is not. */
  async close(): Promise<void> {
    this.#ended.abort();
    await this.#looks.close();
    await this.#queue.onIdle();
  }

  /** Takes what is to be told, as much as has room. */
  async look(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      const room = AT_ONCE - this.#queue.size - this.#queue.pending;
      const taken = room <= 0 ? [] : await this.#parts.control.alerts.runs.claimNotices(room, LEASE_MS);
      if (taken.length === 0) return;
      for (const due of taken) void this.#queue.add(() => this.#tell(due));
      await this.#queue.onSizeLessThan(1);
    }
  }

  /** Resolves when nobody is being told anything. */
  idle(): Promise<void> {
    return this.#queue.onIdle();
  }

  async #tell(due: DueNotice): Promise<void> {
    const { control, log, pause, now = Date.now } = this.#parts;
    try {
      const project = await control.projects.find(due.projectId);
      if (project === null) return;
      const told = await this.#tellWaiting(due, project.orgId);
      const isLeft = told.some(({ state }) => state === 'waiting');
      const again = this.#ended.signal.aborted ? now() : nextTry(due, { pause, now: now(), random: Math.random() });
      const dueAt = isLeft ? again : null;
      const all = dueAt === null ? told.map((one) => (one.state === 'waiting' ? { ...one, state: 'given up' as const } : one)) : told; // prettier-ignore
      for (const [nth, { state, answer, ...target }] of all.entries())
        if (state === 'given up' && due.told[nth]?.state === 'waiting')
          log.warn({ project: project.id, alert: due.id, to: shownTarget(target), answer }, 'a message of an alert was given up');
      await control.alerts.runs.told(due, all, dueAt);
    } catch (error) {
      log.error({ err: error, project: due.projectId }, 'a message of an alert could not be sent; it will be retried');
    }
  } // prettier-ignore

  /** Hooks all at once; letters one after another, so that a mail server that hangs is waited for once and not once a letter. */
  async #tellWaiting({ told, notice }: DueNotice, orgId: string): Promise<readonly Telling[]> {
    let letter: Promise<LetterTry> = Promise.resolve({ delivered: true, answer: '' });
    const tryOne = (one: Telling): Promise<LetterTry> => {
      if (one.kind !== 'email') return this.#post(one.kind, one.to, notice);
      return (letter = letter.then((last) => (last.isForAll === true ? last : this.#mail(one.to, notice, orgId))));
    };
    return Promise.all(
      told.map(async (one) => {
        if (one.state !== 'waiting') return one;
        const { delivered, answer, isFinal = false } = await tryOne(one);
        return { ...one, answer, state: delivered ? 'delivered' : isFinal ? 'given up' : 'waiting' };
      }),
    );
  }

  async #post(kind: keyof typeof BODIES, to: string, notice: Notice): Promise<LetterTry> {
    const { control, allowPrivate } = this.#parts;
    const { signal } = this.#ended;
    const message = { id: notice.id, body: BODIES[kind](notice) };
    const secret = alertSecret(control, notice.project.id);
    const receiver = { url: to, secret, allowPrivate, setting: 'WINDLASS_ALERT_PRIVATE' };
    try {
      return await sendMessage(receiver, message, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return { delivered: false, answer: 'the service ended' };
    }
  }

  /** Only to members: nobody can have the host write to strangers. */
  async #mail(to: string, notice: Notice, orgId: string): Promise<LetterTry> {
    const { control, mail } = this.#parts;
    if (mail === null) return { delivered: false, answer: 'this host sends no mail', isFinal: true };
    if (!(await isMember(control, orgId, to))) return { delivered: false, answer: 'no member of the organization', isFinal: true };
    const { report, alert, at } = notice;
    const attachments = report === null ? [] : [{ filename: `${alert.id}-${utcDay(at)}.html`, content: exportPage({ mode: 'report', data: report }) }];
    return mail.alert(orgId, to, { ...letterOf(notice), attachments }, this.#ended.signal);
  } // prettier-ignore
}

const BODIES = { webhook: webhookBody, slack: slackBody, discord: discordBody } as const;
