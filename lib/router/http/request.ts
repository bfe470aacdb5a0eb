/** Requests to routes: what Node gives, with what the router of express and the sessions add. */
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Request extends IncomingMessage {
  /** By the names in the path of its route, decoded. */
  params: Readonly<Record<string, string | string[]>>;
  readonly originalUrl: string;
  /** What the cookie of a session holds; null removes the cookie. */
  session?: Record<string, unknown> | null | undefined;
}

/** Answers a request. Its rejection becomes an error answer. */
export type RequestHandler = (request: Request, response: ServerResponse) => unknown;
