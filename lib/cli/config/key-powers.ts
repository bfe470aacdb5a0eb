/** Finds out what a key may do, without doing anything. */
import type { ApiClient, ApiRequest } from '../client/api-client.ts';
import { ServerError } from '../client/client-error.ts';

export interface Powers {
  /** `send events`, `ask queries`, `manage projects`. */
  readonly may: readonly string[];
  /** Whether the server knows the key at all. */
  readonly isKnown: boolean;
}

/** Requests answered with 401 or 403 if the key may not, and that change nothing if it may. */
const PROBES: readonly { readonly power: string; readonly request: ApiRequest }[] = [
  { power: 'send events', request: probe('POST', '/track', '{"events":[]}') },
  { power: 'ask queries', request: probe('POST', '/query', '{}') },
  { power: 'manage the projects of an organization', request: probe('GET', '/api/admin/projects') },
];

/** Rejects with TransportError if the server is unreachable, with ServerError if it fails. */
export async function powersOf(api: ApiClient): Promise<Powers> {
  const may: string[] = [];
  let isKnown = false;
  for (const { power, request } of PROBES) {
    const status = await statusOf(api, request);
    if (status !== 401) isKnown = true;
    if (status !== 401 && status !== 403) may.push(power);
  }
  return { may, isKnown };
}

/** An incomplete request is 400, but only if the key may make it. */
async function statusOf(api: ApiClient, request: ApiRequest): Promise<number> {
  try {
    return (await api.send(request)).status;
  } catch (error) {
    if (error instanceof ServerError && [400, 401, 403].includes(error.status)) return error.status;
    throw error;
  }
}

function probe(method: 'GET' | 'POST', path: string, body?: string): ApiRequest {
  return { method, path, key: 'track', retry: 'rate', ...(body === undefined ? {} : { body }) };
}
