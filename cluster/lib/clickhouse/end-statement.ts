/** Makes sure that nothing of a statement is stored any more. */
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../../lib/seam.ts';
import type { ClickHouse } from './client.ts';
import { isNobodyThere } from './server-error.ts';

/** Between attempts, milliseconds. */
const PAUSE = 200;

/**
 * Ends a statement that may still be running. A server that answers nothing may stand still, and go on with the statement later,
 * however long its time is over: so it is asked until it answers. Of a cluster, only until `until` (by `performance.now()`), or once:
 * one of its servers may be away for days.
 */
export async function endStatement(clickHouse: ClickHouse, queryId: string, until: number): Promise<void> {
  do {
    try {
      await clickHouse.kill(queryId, 'SYNC');
      return;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (clickHouse.cluster === null && isNobodyThere(error)) return; // it ended with its server
      await pause(PAUSE, undefined, { ref: false });
    }
  } while (clickHouse.cluster === null || performance.now() < until);
}
