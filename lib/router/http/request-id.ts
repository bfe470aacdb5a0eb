/** Ids of requests, made only when needed: for the log, and for the answer to a bug of ours. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const ids = new WeakMap<IncomingMessage, string>();
const process = randomBytes(4).toString('hex'); // distinguishes this run from earlier ones
let made = 0;

/** The id of a request: constant for its whole life, unique in the log. */
export function requestId(request: IncomingMessage): string {
  const known = ids.get(request);
  if (known !== undefined) return known;
  const id = `${process}-${(++made).toString(36)}`;
  ids.set(request, id);
  return id;
}
