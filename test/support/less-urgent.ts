/** Priorities of this process's threads; only Linux has them. */
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';

export const IS_LINUX: boolean = process.platform === 'linux';

/** Threads of this process with a lower priority than its own; 0 where there are no priorities of threads. */
export function lessUrgent(): number {
  if (!IS_LINUX) return 0;
  return readdirSync('/proc/self/task').filter((task) => {
    const stat = readFileSync(`/proc/self/task/${task}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]) > getPriority(); // after the name, which may be anything
  }).length;
}
