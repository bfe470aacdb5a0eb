/** Queries to the server. */
import type { ApiClient } from '../client/api-client.ts';
import { ClientError } from '../client/client-error.ts';
import { asRecord, asRecords, type JsonRecord } from '../client/records.ts';
import type { Answer } from '../client/attempt.ts';

/** Which rows; omitted values are up to the server. */
export interface Page {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** Rows and their metadata. */
export interface Envelope {
  readonly columns: readonly { readonly name: string; readonly type: string; readonly role: string }[];
  readonly rows: readonly JsonRecord[];
  readonly total: number;
  readonly range: { readonly from: string; readonly to: string; readonly timezone: string };
  readonly elapsedMs: number;
  readonly notes: readonly string[];
}

/** POST /query. */
export function ask(
  api: ApiClient,
  q: string,
  fields: Page & { readonly format: 'json' | 'csv' | 'llm'; readonly envelope?: boolean; readonly explain?: boolean },
): Promise<Answer> {
  return api.send({
    method: 'POST',
    path: '/query',
    body: JSON.stringify({ q, ...fields }),
    key: 'query',
    retry: 'rate',
  });
}

/** The rows, and their number before the page was cut, if the server reports it. */
export async function askRows(
  api: ApiClient,
  q: string,
  page: Page,
): Promise<{ rows: readonly JsonRecord[]; total: number | null }> {
  const answer = await ask(api, q, { ...page, format: 'json' });
  const total = answer.header('x-total-count');
  return { rows: asRecords(jsonOf(answer)), total: total === null ? null : Number(total) };
}

export async function askEnvelope(api: ApiClient, q: string, page: Page): Promise<Envelope> {
  const {
    columns,
    column_types: types = columns, // as in older servers
    rows,
    total,
    range,
    elapsed_ms: elapsedMs,
    notes,
  } = asRecord(jsonOf(await ask(api, q, { ...page, format: 'json', envelope: true })));
  const { from, to, timezone } = asRecord(range);
  return {
    columns: asRecords(types).map(({ name, type, role }) => ({
      name: text(name),
      type: text(type),
      role: text(role),
    })),
    rows: asRecords(rows),
    total: Number(total),
    range: { from: text(from), to: text(to), timezone: text(timezone) },
    elapsedMs: Number(elapsedMs),
    notes: Array.isArray(notes) ? notes.map(text) : [],
  };
}

/** How the query runs, instead of its rows. */
export async function askExplanation(api: ApiClient, q: string): Promise<JsonRecord> {
  return asRecord(jsonOf(await ask(api, q, { format: 'json', explain: true })));
}

/** A text in the pipe language. */
export function quoted(text: string): string {
  const escaped = text.replace(/["\\\n\t]|\p{Cc}/gu, (unit) => ESCAPES.get(unit) ?? unicodeEscape(unit));
  return `"${escaped}"`;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\t', '\\t'],
]);

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function jsonOf({ body }: Answer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new ClientError("The server's answer to the query is not JSON: is it a Windlass server? See: wl health");
  }
}

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new ClientError('The server’s answer lacks a text: does it run another version?');
}
