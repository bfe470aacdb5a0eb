/** A query as other places take it: a shell, a dashboard. */
import type { Answer } from './questions.ts';
import { hasFigures } from './answer-picture.ts';

/** For POSIX shells. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** `host`: the address of this server. The key is taken from the environment: nothing to copy has one in it. */
export function curlCommand(q: string, host: string): string {
  return `curl -s ${host}/query -H "X-API-Key: $WINDLASS_API_KEY" -d ${shellQuoted(JSON.stringify({ q }))}`;
}

export function wlCommand(q: string): string {
  return `wl query ${shellQuoted(q)}`;
}

/** A card of a dashboard, as an item of `cards:`. */
export function cardYaml(q: string, answer: Answer): string {
  const lines = q.trim().split('\n');
  const query = lines.length === 1 ? `    query: ${yamlQuoted(q.trim())}` : ['    query: |-', ...lines.map((line) => `      ${line}`)].join('\n');
  return [`  - title: ${yamlQuoted(lines.join(' ').slice(0, 80))}`, `    kind: ${kindOf(q, answer)}`, query].join('\n');
} // prettier-ignore

const yamlQuoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Cards that are named otherwise than the source of their query. */
const KINDS: Readonly<Record<string, string>> = {
  funnel: 'funnel',
  retention: 'retention',
  paths: 'journey',
  sessions: 'sessions',
  lifecycle: 'lifecycle',
  stickiness: 'stickiness',
  users: 'users',
  inspect: 'inspect',
  fields: 'inspect',
};

function kindOf(q: string, answer: Answer): string {
  if (hasFigures(answer)) return 'metric';
  const source = /^\s*([a-z]+)\b/i.exec(q)?.[1]?.toLowerCase() ?? '';
  const kind = Object.hasOwn(KINDS, source) ? KINDS[source] : undefined;
  if (kind !== undefined) return kind;
  const { column_types: columns } = answer;
  if (columns.some(({ name }) => name === 'event_properties')) return 'events';
  const isDrawn = columns.some(({ role }) => role === 'bucket' || role === 'group') && columns.some(({ role }) => role === 'metric'); // prettier-ignore
  return isDrawn ? 'chart' : 'table';
}
