/**
 * Worlds as lines, for golden files:
 *
 *     at 2026-03-02T08:00                         the requests below arrive then
 *     identify user=ann device=d1 time=2025-01-01 {"plan": "pro"} {"$add": {"n": 1}}
 *     unbind d1                                   the last binding of the device is undone
 *     2026-03-02T09:00 page_view user=ann device=d1 session=s1 insert=i1 {"path": "/"} {"sent": true}
 *     {"event_type": "raw", "time": 5}            an event as it is sent
 *
 * Lines of events that follow each other are one batch; a blank line ends it. Times without an offset are UTC.
 */
import { readJsonWithDigits } from '../../lib/base/text/read-json.ts';
import type { World, WorldRequest } from '../oracle/world.ts';

const parsed = (json: string): unknown => readJsonWithDigits(json, BigInt);

/** @param arrival When requests before the first `at` arrive, milliseconds since the epoch. */
export function parseWorld(text: string, arrival: number): World {
  const requests: WorldRequest[] = [];
  let at = arrival;
  let batch: unknown[] = [];
  const endBatch = (): void => {
    if (batch.length > 0) requests.push({ at, track: batch });
    batch = [];
  };
  for (const line of text.split('\n')) {
    const [word = ''] = line.split(' ', 1);
    if (line.trim() === '' || word === 'at' || word === 'identify' || word === 'unbind') endBatch();
    if (line.trim() === '') continue;
    else if (word === 'at') at = parseMoment(line.slice(3));
    else if (word === 'unbind') requests.push({ at, unbind: line.slice(word.length + 1) });
    else if (word === 'identify') requests.push({ at, identify: parseIdentify(line.slice(word.length)) });
    else batch.push(parseEvent(line));
  }
  endBatch();
  return requests;
}

/** Milliseconds since the epoch of a time that may lack seconds and offset. */
export function parseMoment(text: string): number {
  const time = Date.parse(/Z$|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`);
  if (Number.isNaN(time)) throw new Error(`no time: ${text}`);
  return time;
}

function parseEvent(line: string): unknown {
  if (/^[[{"n]/.test(line)) return parsed(line);
  const [time = '', type = '', ...rest] = tokensOf(line);
  const { names, objects } = sortTokens(rest);
  return {
    event_type: type.startsWith('"') ? parsed(type) : type,
    time: new Date(parseMoment(time)).toISOString(),
    ...names,
    ...(objects[0] === undefined ? {} : { event_properties: objects[0] }),
    ...(objects[1] === undefined ? {} : { user_properties: objects[1] }),
  };
}

function parseIdentify(line: string): unknown {
  const { names, objects } = sortTokens(tokensOf(line));
  return {
    ...names,
    ...(objects[0] === undefined ? {} : { user_properties: objects[0] }),
    ...(objects[1] === undefined ? {} : { user_property_ops: objects[1] }),
  };
}

const NAMES: Record<string, string> = {
  user: 'user_id',
  device: 'device_id',
  session: 'session_id',
  insert: 'insert_id',
  time: 'time',
};

function sortTokens(tokens: readonly string[]): { names: Record<string, string>; objects: unknown[] } {
  const names: Record<string, string> = {};
  const objects: unknown[] = [];
  for (const token of tokens) {
    const [, key = '', value = ''] = /^(\w+)=(.*)$/s.exec(token) ?? [];
    const name = NAMES[key];
    if (token.startsWith('{')) objects.push(parsed(token));
    else if (name === undefined) throw new Error(`not understood in a line of a world: ${token}`);
    else names[name] = value.startsWith('"') ? String(parsed(value)) : value;
  }
  return { names, objects };
}

/** Splits words at blanks, except inside braces or quotes. */
function tokensOf(line: string): string[] {
  const tokens = [''];
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const character = line.charAt(i);
    if (character === '"' && line.charAt(i - 1) !== '\\') quoted = !quoted;
    if (!quoted && character === '{') depth++;
    if (!quoted && character === '}') depth--;
    if (character === ' ' && depth === 0 && !quoted) tokens.push('');
    else tokens[tokens.length - 1] += character;
  }
  return tokens.filter((token) => token !== '');
}
