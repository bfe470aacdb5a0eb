/**
 * The log: JSON lines on stderr, in colour on a terminal. It never contains keys, query strings, query texts, user ids or paths
 * with ids: requests are named by their route.
 */
import { pino, type Logger } from 'pino';
import { lineForPeople } from './log-at-terminal.ts';

export type Log = Logger;

const STDERR = 2;

/** The log of a service. `level` is the lowest level written. */
export function createLog(level: string): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  // Written synchronously: a line that explains an exit must not be lost in a buffer.
  const stderr = pino.destination({ dest: STDERR, sync: true });
  if (process.stderr.isTTY) return pino(options, { write: (line) => stderr.write(lineForPeople(line)) });
  return pino(options, stderr);
}

/** A log that writes nothing. */
export function silentLog(): Log {
  return pino({ level: 'silent' });
}
