/** Names for requests, made only when somebody asks: in the log, and in the answer to a bug of ours. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const ids = new WeakMap<IncomingMessage, string>();
const process = randomBytes(4).toString('hex'); // apart from those of the runs before
let made = 0;

/** The id of a request: the same for the whole of its life, unique in the log. */
export function requestId(request: IncomingMessage): string {
  const known = ids.get(request);
  if (known !== undefined) return known;
  const id = `${process}-${(++made).toString(36)}`;
  ids.set(request, id);
  return id;
}
