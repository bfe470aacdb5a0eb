/** When a message that was not taken is sent again. */
import { MAX_MESSAGE_AGE, type DueMessage } from '../control/operator/webhook-messages.ts';

/** Tries of a message, the first among them. */
const MAX_TRIES = 10;
/** Each pause is so many times as long as the one before. */
const GROWTH = 6;
const MAX_PAUSE = 43_200_000; // ms

/**
 * Milliseconds since the epoch; null: not again. `pause`: before the second try, ms. `random`, from 0 to 1, makes a pause up to a
 * quarter longer, so that a receiver that comes back does not get all messages at once.
 */
export function nextTry(
  { tries, madeAt }: Pick<DueMessage, 'tries' | 'madeAt'>,
  { pause, now, random }: { readonly pause: number; readonly now: number; readonly random: number },
): number | null {
  if (tries + 1 >= MAX_TRIES) return null;
  const dueAt = Math.round(now + Math.min(MAX_PAUSE, pause * GROWTH ** tries) * (1 + random / 4));
  return dueAt - madeAt > MAX_MESSAGE_AGE ? null : dueAt;
}
