import fs from 'node:fs';
import os from 'node:os';

const THREAD = '/proc/thread-self';

/**
 * Gives way to the other threads of the process: where all cores are busy, those that somebody waits for go first. Only Linux
 * has priorities of single threads; elsewhere nothing changes.
 *
 * @param niceness As of nice(1): other threads have 0, 19 gives way to all.
 */
export function giveWay(niceness: number): void {
  if (process.platform !== 'linux' || !fs.existsSync(THREAD)) return;
  try {
    os.setPriority(Number(fs.readlinkSync(THREAD).split('/').at(-1)), niceness);
  } catch (error) {
    // Where a sandbox forbids it the thread only takes more than its part.
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_SYSTEM_ERROR')) throw error;
  }
}
