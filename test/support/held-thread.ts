/** For tests of pools: a thread whose tasks say that they have begun, wait to be let go, and answer in which thread they ran. */
import { threadId } from 'node:worker_threads';

export interface HeldTask {
  /** Counts tasks that have begun. */
  readonly begun: Int32Array;
  /** Becomes 1 when they may end. */
  readonly free: Int32Array;
}

// oxlint-disable-next-line import/no-default-export -- Piscina calls the default export
export default function hold({ begun, free }: HeldTask): number {
  Atomics.add(begun, 0, 1);
  Atomics.wait(free, 0, 0);
  return threadId;
}
