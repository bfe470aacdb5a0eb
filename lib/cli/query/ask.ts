/** Queries to the server. */
import { unicodeEscape } from '../../base/text/unicode-escape.ts';
import type { Envelope } from '../../dashboards/data.ts';
import type { ApiClient } from '../client/api-client.ts';
import { ClientError, TransportError } from '../client/client-error.ts';
import type { HttpAnswer } from '../client/http.ts';
import { isRecord, type JsonRecord } from '../../base/is-record.ts';
import { asRecord, asRecords } from '../client/client-command.ts';
import { readJson } from '../../base/text/read-json.ts';

/** Which rows; omitted values are up to the server. */
export interface AnswerPage {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly cursor?: string | undefined;
  readonly timezone?: string | undefined;
}

/** POST /query. */
export function postQuery(
  api: ApiClient,
  q: string,
  fields: AnswerPage & { readonly format: 'json' | 'csv' | 'llm'; readonly envelope?: true; readonly explain?: true },
): Promise<HttpAnswer> {
  return api.send({
    method: 'POST',
    path: '/query',
    body: JSON.stringify({ q, ...fields }),
    key: 'query',
    retry: 'rate',
  });
}

/** The rows, their number before the page was cut, if the server reports it, and, if nothing was found, why. */
export async function askRows(
  api: ApiClient,
  q: string,
  page: AnswerPage,
): Promise<{ rows: readonly JsonRecord[]; total: number | null; next: string | null; notes: readonly string[] }> {
  const answer = await postQuery(api, q, { ...page, format: 'json', envelope: true });
  const told = jsonOf(answer);
  const next = answer.header('x-next-cursor');
  if (!Array.isArray(told)) {
    const envelope = envelopeOf(told);
    return { ...envelope, next, notes: isNothing(envelope) ? envelope.notes : [] };
  }
  const total = answer.header('x-total-count'); // a server that knows no envelope
  return { rows: asRecords(told), total: total === null ? null : Number(total), next, notes: [] };
}

/** Whether nothing was found, which the notes explain: no rows, or no metric but 0. */
function isNothing({ rows, column_types: types }: Envelope): boolean {
  const metrics = types.filter(({ role }) => role === 'metric');
  return rows.every((row) => metrics.length > 0 && metrics.every(({ name }) => (row[name] ?? 0) === 0));
}

/** The rows with what the server says about them. */
export async function askEnvelope(api: ApiClient, q: string, page: AnswerPage): Promise<Envelope> {
  return envelopeOf(jsonOf(await postQuery(api, q, { ...page, format: 'json', envelope: true })));
}

function envelopeOf(told: unknown): Envelope {
  const answer = asRecord(told);
  const { columns, column_types: types = columns } = answer; // older servers have only types
  const names = Array.isArray(types) && types.every(isRecord) ? types.map(({ name }) => name) : null;
  const envelope = { ...answer, columns: names, column_types: types };
  if (isEnvelope(envelope)) return envelope;
  throw new TransportError('broken', 'The server’s answer has no rows: is it a Windlass server of this version?', []);
}

function isEnvelope(value: JsonRecord): value is JsonRecord & Envelope {
  const { columns, column_types: types, rows, range, notes } = value;
  return [columns, types, rows, notes].every(Array.isArray) && isRecord(range);
}

/** How the query runs, instead of its rows. */
export async function askExplanation(api: ApiClient, q: string): Promise<JsonRecord> {
  return asRecord(jsonOf(await postQuery(api, q, { format: 'json', explain: true })));
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

function jsonOf({ body }: HttpAnswer): unknown {
  try {
    return readJson(body.toString('utf8'));
  } catch {
    throw new ClientError("The server's answer to the query is not JSON: is it a Windlass server? See: wl health");
  }
}
