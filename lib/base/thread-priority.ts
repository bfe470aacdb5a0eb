/** How threads share processors when more of them have work than there are processors. */
import { getPriority, setPriority } from 'node:os';

/** Of 40 steps from most to least urgent, 0 is the default. Ten less urgent gets a tenth of a default thread's time beside it. */
const LESS_URGENT = 10;
const LEAST_URGENT = 19;

/**
 * From now on the calling thread gets a tenth of a processor that other threads of the process want too (a third with five
 * steps). Steps count from the priority the service was started with, by `nice` or a unit; only root may go back. Only Linux has
 * priorities of threads: elsewhere this would change the whole process.
 */
export function yieldToOthers(steps = LESS_URGENT): void {
  if (process.platform === 'linux') setPriority(0, Math.min(getPriority(0) + steps, LEAST_URGENT));
}
