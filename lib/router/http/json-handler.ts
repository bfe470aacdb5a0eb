import type { Request, RequestHandler } from 'express';
import { sendJson } from './answer.ts';

/** Answers 200 with the value to whom `admit` lets in; it throws for all others. */
export function jsonHandler<A>(
  admit: (request: Request) => A | PromiseLike<A>,
  value: (admitted: A, request: Request) => unknown,
): RequestHandler {
  return async (request, response) => sendJson(response, 200, await value(await admit(request), request));
}
