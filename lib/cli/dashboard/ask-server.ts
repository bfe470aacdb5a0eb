/** How dashboards run queries: POST /query with the configured key. */
import type { Envelope } from '../../dashboards/data.ts';
import { AskError, type Ask } from '../../dashboards/run.ts';
import type { ApiClient } from '../client/api-client.ts';
import { ServerError, TransportError } from '../client/client-error.ts';
import { asRecord, isRecord } from '../client/records.ts';

/** Failures of the server or the connection are AskErrors, shown on a card; a missing key fails all cards. */
export function askServer(api: ApiClient): Ask {
  return async ({ q, timezone, limit }) => {
    const zone = timezone === null ? {} : { timezone };
    const body = JSON.stringify({ q, format: 'json', envelope: true, limit, ...zone });
    try {
      return envelopeOf(await api.json({ method: 'POST', path: '/query', body, key: 'query', retry: 'rate' }));
    } catch (error) {
      if (isAboutAll(error)) throw error;
      if (error instanceof ServerError || error instanceof TransportError) {
        throw new AskError(error.message, error.hints[0] ?? null);
      }
      throw error;
    }
  };
}

/** A wrong key fails every query alike: it is reported once. */
function isAboutAll(error: unknown): boolean {
  return error instanceof ServerError && (error.status === 401 || error.status === 403);
}

function envelopeOf(value: unknown): Envelope {
  const answer = asRecord(value);
  if (isEnvelope(answer)) return answer;
  throw new AskError('The server’s answer has no rows: is it a Windlass server of this version?');
}

function isEnvelope(value: Readonly<Record<string, unknown>>): value is Readonly<Record<string, unknown>> & Envelope {
  const { columns, column_types: types, rows, range, notes } = value;
  return [columns, types, rows, notes].every(Array.isArray) && isRecord(range);
}
