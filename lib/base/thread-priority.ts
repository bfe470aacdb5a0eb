/** How threads share processors when more of them have work than there are processors. */
import { getPriority, setPriority } from 'node:os';

/**
 * Of 40 steps from most to least urgent. The system lets a thread finish its slice of some milliseconds before another one that
 * wakes, unless that is much more urgent: beside large queries that yielded by five steps a twentieth of small ones waited four times as
 * long as alone, by fifteen twice.
 */
const STEPS = { little: 5, much: 15 } as const;

/**
 * From now on the calling thread gets a third of a processor that other threads of the process want too (little: somebody waits for
 * it), or a thirtieth (much). Steps count from the priority the service was started with, by `nice` or a unit; only root may go back. Only Linux has
 * priorities of threads: elsewhere this would change the whole process.
 */
export function yieldToOthers(how: keyof typeof STEPS): void {
  if (process.platform === 'linux') setPriority(0, Math.min(getPriority(0) + STEPS[how], 19));
}
