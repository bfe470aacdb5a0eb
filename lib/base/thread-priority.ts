/** How threads share processors when there are more of them that work than processors. */
import { getPriority, setPriority } from 'node:os';

/** Of 40 steps from the most to the least urgent, 0 is usual. Ten less urgent is a tenth of the time beside one that is usual. */
const LESS_URGENT = 10;
const LEAST_URGENT = 19;

/**
 * From now on the calling thread goes on while no other of the process wants its processor, or with a tenth of it; with a third
 * where that is five steps. Steps count from where the service was started, with `nice` or by a unit: only root may go back. Only Linux knows priorities of threads: elsewhere it would be the whole process.
 */
export function yieldToOthers(steps = LESS_URGENT): void {
  if (process.platform === 'linux') setPriority(0, Math.min(getPriority(0) + steps, LEAST_URGENT));
}
