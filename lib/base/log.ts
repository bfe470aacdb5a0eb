/**
 * The log: JSON lines on stderr, in colour on a terminal. It never contains keys, query strings, query texts, user ids or paths
 * with ids: requests are named by their route.
 */
import { pino, type Logger } from 'pino';
import { styleText } from 'node:util';
import { unicodeEscape } from './text/unicode-escape.ts';
import { readJson } from './text/read-json.ts';

export type Log = Logger;

/** The log of a service. `level` is the lowest level written. */
export function createLog(level: string): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  // Written synchronously: a line that explains an exit must not be lost in a buffer.
  const stderr = pino.destination({ dest: 2, sync: true });
  if (process.stderr.isTTY) return pino(options, { write: (line) => stderr.write(lineForPeople(line)) });
  return pino(options, stderr);
}

/** A log that writes nothing. */
export function silentLog(): Log {
  return pino({ level: 'silent' });
}

/** pino's level numbers. */
const LEVELS: Readonly<Record<number, readonly [name: string, color: 'gray' | 'green' | 'yellow' | 'red']>> = {
  10: ['TRACE', 'gray'],
  20: ['DEBUG', 'gray'],
  30: ['INFO', 'green'],
  40: ['WARN', 'yellow'],
  50: ['ERROR', 'red'],
  60: ['FATAL', 'red'],
};

/** A JSON line of the log as `08:41:12.027 INFO  message name=value`; an error's stack goes below. */
export function lineForPeople(json: string): string {
  const { level, time, msg, err, ...more } = fieldsOf(readJson(json));
  const [name, color] = LEVELS[Number(level)] ?? ['?', 'gray'];
  const words = [
    styleText('gray', String(time).slice('2026-11-22T'.length, -'Z'.length)),
    styleText(color, name.padEnd('ERROR'.length)),
    ...(typeof msg === 'string' ? [printed(msg).replaceAll('\n', '\\n')] : []),
    ...pairsOf(more).map((pair) => styleText('gray', pair)),
  ];
  return `${words.join(' ')}\n${stackOf(err)}`;
}

function stackOf(error: unknown): string {
  const { stack, message, ...more } = fieldsOf(error);
  if (stack === undefined && message === undefined) return '';
  return `${[printed(String(stack ?? message)), ...pairsOf(more)].join('\n').replace(/^/gm, '    ')}\n`;
}

function pairsOf(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields).map(([key, value]) => `${printed(key)}=${printed(JSON.stringify(value))}`);
}

// oxlint-disable-next-line no-control-regex -- they are what it looks for
const UNPRINTED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** With what steers a terminal, or changes the direction of text, as `\u009b`: messages and stacks may repeat a stranger's text. */
function printed(text: string): string {
  return text.replace(UNPRINTED, unicodeEscape);
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
