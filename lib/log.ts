/**
 * The log: JSON lines on stderr, in colour on a terminal. It never holds keys, query strings, query texts, user ids or
 * paths with ids in them: requests are named by their route.
 */
import { pino } from 'pino';
import type { Logger } from 'pino';
import pretty from 'pino-pretty';

export type Log = Logger;

const STDERR = 2;

/** The log of a service. `level` is the least that is written. */
export function createLog(level: string): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  if (process.stderr.isTTY) return pino(options, pretty({ destination: STDERR, sync: true, colorize: true }));
  // Written at once: a line that explains an exit must not be lost in a buffer.
  return pino(options, pino.destination({ dest: STDERR, sync: true }));
}

/** A log that writes nothing, for tests. */
export function silentLog(): Log {
  return pino({ level: 'silent' });
}
