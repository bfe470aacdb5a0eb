/** What a key may do, found out without doing anything. */
import type { ApiClient, ApiRequest } from '../client/api-client.ts';
import { ServerError } from '../client/client-error.ts';

export interface Powers {
  /** `send events`, `ask queries`, `manage projects`. */
  readonly may: readonly string[];
  /** Whether the server knows the key at all. */
  readonly isKnown: boolean;
}

/** Requests that a server answers with 401 or 403 where the key may not, and that change nothing where it may. */
const PROBES: readonly { readonly power: string; readonly request: ApiRequest }[] = [
  { power: 'send events', request: probe('POST', '/track', '{"events":[]}') },
  { power: 'ask queries', request: probe('POST', '/query', '{}') },
  { power: 'manage the projects of an organization', request: probe('GET', '/api/admin/projects') },
];

/** Rejects with TransportError when the server cannot be reached, with ServerError when it is not well. */
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

/** A request without what it must have is 400, but only for whoever may make it. */
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
