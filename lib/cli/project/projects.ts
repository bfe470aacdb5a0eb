/** /api/admin/projects. */
import type { ApiClient, ApiRequest } from '../client/api-client.ts';
import { ClientError } from '../client/client-error.ts';
import { pathSegment } from '../client/path-segment.ts';
import { asRecord } from '../client/records.ts';
import type { JsonRecord } from '../client/records.ts';

/** A request about all projects, or one of them. Reading may be tried again. */
export function projectRequest(
  method: ApiRequest['method'],
  { id, below = '', body }: { id?: string; below?: string; body?: JsonRecord } = {},
): ApiRequest {
  return {
    method,
    path: `/api/admin/projects${id === undefined ? '' : `/${pathSegment(id, 'project')}`}${below}`,
    key: 'organization',
    retry: method === 'GET' ? 'safe' : 'rate',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

export async function findProject(api: ApiClient, id: string): Promise<JsonRecord & { readonly name: string }> {
  const project = asRecord(await api.json(projectRequest('GET', { id })));
  const { name } = project;
  if (typeof name !== 'string') throw new ClientError('The server says no name of the project.');
  return { ...project, name };
}
