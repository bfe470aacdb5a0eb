/** The last answer of the host's receiver. */
import type { Config } from '../../../base/config/config.ts';
import { isoTime } from '../../../base/day.ts';
import type { WebhookMessage } from '../../../control/operator/webhook-messages.ts';
import type { Finding } from './finding.ts';

/** The service sends due messages within a second. Milliseconds. */
const UNSENT = 60_000;

const MEND =
  '`wl admin webhooks` shows each message with its answer: fix the receiver or WINDLASS_WEBHOOK_URL, then try it with `wl admin webhooks --test`';

/** `messages`: the newest, in any order. */
export function webhooks({ webhookUrl: url }: Config, messages: readonly WebhookMessage[]): Finding {
  const check = 'webhooks';
  const waiting = messages.filter(({ dueAt }) => dueAt !== null);
  const tried = messages.filter(({ triedAt }) => triedAt !== null).sort((a, b) => (b.triedAt ?? 0) - (a.triedAt ?? 0));
  const [last] = tried;
  const unsent = waiting.some(({ tries, madeAt }) => tries === 0 && madeAt < Date.now() - UNSENT);
  if (last === undefined) {
    const set =
      url === null ? 'no receiver in these settings' : `${new URL(url).host} is set, and nothing was sent yet`;
    return { check, found: unsent ? `${set}; ${waiting.length} wait` : set, mend: unsent ? MEND : null };
  }
  const { answer } = last;
  if (last.state === 'delivered') {
    const found = `last answer ${answer} at ${time(last.triedAt)}, ${waiting.length} wait`;
    return { check, found, mend: unsent ? MEND : null };
  }
  const delivered = tried.findIndex(({ state }) => state === 'delivered');
  const failing = delivered < 0 ? tried : tried.slice(0, delivered);
  const since = Math.min(...failing.map(({ madeAt }) => madeAt));
  const lost = failing.filter(({ state }) => state === 'given up').length;
  const found = `failing since ${time(since)}, last answer ${answer}; ${waiting.length} wait, ${lost} given up`;
  return { check, found, mend: MEND };
}

const time = (at: number | null): string => (at === null ? 'never' : isoTime(at));
