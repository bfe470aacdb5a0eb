/** /api/admin/*: what an organization's admin key may do. */
import type { ApiClient, ApiRequest } from '../client/api-client.ts';
import { ClientError } from '../client/client-error.ts';
import type { JsonRecord } from '../../base/is-record.ts';
import { asRecord, pathSegment } from '../client/client-command.ts';
import { optional } from '../command.ts';

interface Parts {
  readonly body?: JsonRecord;
  readonly parameters?: ApiRequest['parameters'];
  readonly idempotencyKey?: string | undefined;
}

export const adminRequest = (method: ApiRequest['method'], path: string, parts: Parts = {}): ApiRequest =>
  managing('organization', method, `/api/admin${path}`, parts);

/** Of a management API. Reads may be retried, and so may requests that the server executes once per key. */
export function managing(
  key: 'organization' | 'operator',
  method: ApiRequest['method'],
  path: string,
  { body, parameters = {}, idempotencyKey }: Parts = {},
): ApiRequest {
  return {
    ...{ method, path, parameters, key },
    retry: method === 'GET' || idempotencyKey !== undefined ? 'safe' : 'rate',
    idempotencyKey,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

/** The path of a project, for `adminRequest`. Throws ClientError for an invalid id. */
export function projectPath(id: string): string {
  return `/projects/${pathSegment(id, 'project')}`;
}

export async function findProject(api: ApiClient, id: string): Promise<JsonRecord & { readonly name: string }> {
  const project = asRecord(await api.json(adminRequest('GET', projectPath(id))));
  const { name } = project;
  if (typeof name !== 'string') throw new ClientError('The server’s answer has no project name.');
  return { ...project, name };
}

/** The option of every command that creates something. */
export const IDEMPOTENCY_KEY = optional(
  'Your own key for this request: repeated within a day, it creates nothing and prints the same answer',
);
