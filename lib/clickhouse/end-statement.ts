/** Makes sure that nothing of a statement is stored any more. */
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../base/errors.ts';
import type { ClickHouse } from './client.ts';
import { isNobodyThere } from './server-error.ts';

/** Between attempts, milliseconds. */
const PAUSE = 200;

/** Ends a statement that may still be running; where nobody answers, waits until it has run out of time (by `performance.now()`). */
export async function endStatement(clickHouse: ClickHouse, queryId: string, until: number): Promise<void> {
  while (performance.now() < until) {
    try {
      await clickHouse.kill(queryId, 'SYNC');
      return;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (clickHouse.cluster === null && isNobodyThere(error)) return; // it ended with its server
      await pause(PAUSE, undefined, { ref: false });
    }
  }
}
