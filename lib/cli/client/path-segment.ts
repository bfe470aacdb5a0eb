import { ClientError } from './client-error.ts';

/** An id as a part of a path. Throws ClientError for what would be another path: nothing, `.` and `..`. */
export function pathSegment(id: string, what: string): string {
  if (id === '' || id === '.' || id === '..') throw new ClientError(`${JSON.stringify(id)} is not a valid ${what} id.`);
  return encodeURIComponent(id);
}
