/** How dashboards run queries: POST /query with the configured key. */
import { AskError, type Ask } from '../../dashboards/run.ts';
import type { ApiClient } from '../client/api-client.ts';
import { ServerError, TransportError } from '../client/client-error.ts';
import { askEnvelope } from '../query/ask.ts';

/** Failures of the server or the connection are AskErrors, shown on a card; a missing key fails all cards. */
export function askServer(api: ApiClient): Ask {
  return async ({ q, timezone, limit }) => {
    try {
      return await askEnvelope(api, q, { limit, timezone: timezone ?? undefined });
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
