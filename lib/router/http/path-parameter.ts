import type { Request } from 'express';
import { AppError } from '../../base/errors.ts';

/** The decoded parameter `:name` of the request's route. */
export function pathParameter(request: Request, name: string): string {
  const value = request.params[name];
  if (typeof value !== 'string') throw new Error(`the route has no :${name}`);
  return value;
}

/**
 * The same of something that the control database has under this id. None has the character U+0000, for which PostgreSQL cannot
 * even be asked: throws AppError `not_found`.
 */
export function idParameter(request: Request, name: string): string {
  const id = pathParameter(request, name);
  if (id.includes('\0')) throw new AppError('not_found', 'There is nothing under such an id.');
  return id;
}
