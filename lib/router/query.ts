import type { RequestHandler } from 'express';
import type { RouterContext } from './context.ts';
export function query(_context: RouterContext): RequestHandler {
  return () => undefined;
}
