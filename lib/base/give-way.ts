/** For long work in the event loop that is done in steps. */
import { setImmediate, setTimeout } from 'node:timers/promises';
import { monotonic } from './monotonic.ts';

/** Resolves when others have had the event loop for as long as a step took. @param began When the step did, on `monotonic()`. */
export async function giveWay(began: number): Promise<void> {
  const took = monotonic() - began;
  if (took < 1) await setImmediate();
  else await setTimeout(took);
}
