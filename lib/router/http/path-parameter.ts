import type { Request } from 'express';

/** What stands in the request's path at `:name` of its route, decoded. */
export function pathParameter(request: Request, name: string): string {
  const value = request.params[name];
  if (typeof value !== 'string') throw new Error(`the route has no :${name}`);
  return value;
}
