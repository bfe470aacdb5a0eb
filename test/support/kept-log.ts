import { pino } from 'pino';
import type { Log } from '../../lib/base/log.ts';

/** A log whose lines tests can read. */
export function keptLog(level = 'debug'): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  return { log: pino({ level, base: null }, { write: (line: string) => void lines.push(line) }), lines };
}
