import type { Request } from 'express';

/** The decoded parameter `:name` of the request's route. */
export function pathParameter(request: Request, name: string): string {
  const value = request.params[name];
  if (typeof value !== 'string') throw new Error(`the route has no :${name}`);
  return value;
}
