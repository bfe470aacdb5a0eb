import { ClientError } from './client-error.ts';

/** An id as a path segment. Throws ClientError for what would change the path: nothing, `.` and `..`. */
export function pathSegment(id: string, what: string): string {
  if (id === '' || id === '.' || id === '..') throw new ClientError(`${JSON.stringify(id)} is not a valid ${what} id.`);
  return encodeURIComponent(id);
}
