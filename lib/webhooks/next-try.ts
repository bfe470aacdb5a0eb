/** When to retry a message that was not delivered. */
import { MAX_MESSAGE_AGE, type DueMessage } from '../control/operator/webhook-messages.ts';

/** Tries per message, including the first. */
const MAX_TRIES = 10;
/** Each pause is this many times as long as the one before. */
const GROWTH = 6;
const MAX_PAUSE = 43_200_000; // ms

/**
 * Milliseconds since the epoch; null: not again. `pause`: before the second try, ms. `random`, from 0 to 1, lengthens a pause by
 * up to a quarter, so that a receiver that recovers does not get all messages at once.
 */
export function nextTry(
  { tries, madeAt }: Pick<DueMessage, 'tries' | 'madeAt'>,
  { pause, now, random }: { readonly pause: number; readonly now: number; readonly random: number },
): number | null {
  if (tries + 1 >= MAX_TRIES) return null;
  const dueAt = Math.round(now + Math.min(MAX_PAUSE, pause * GROWTH ** tries) * (1 + random / 4));
  return dueAt - madeAt > MAX_MESSAGE_AGE ? null : dueAt;
}
