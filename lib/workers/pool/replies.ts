/** What threads reply, as results and errors. */
import { AppError } from '../../base/errors.ts';
import { StaleSnapshot } from '../../shards/shard-reader.ts';
import type { PartialResult } from '../kernels/partial-result.ts';
import { timeout } from '../query-end.ts';
import { NoRoom } from '../room.ts';
import type { PartSeen, Reply } from './protocol.ts';

/** What a part of a query found. */
export type PartReply = Reply & { readonly kind: 'partial' | 'table' | 'page'; readonly seen: PartSeen };

/** Throws for any other reply: the thread has answered another question. */
export function partReply(reply: Reply): PartReply {
  if (reply.kind === 'partial' || reply.kind === 'table' || reply.kind === 'page') return reply;
  throw new Error(`a part answered ${reply.kind}`);
}

/** Throws if the part, as the only one, has made the rows. */
export function partialOf(reply: PartReply): PartialResult {
  if (reply.kind !== 'partial') throw new Error(`one of several parts answered with a ${reply.kind}`);
  return reply.partial;
}

/** Throws the failure that a reply reports. */
export function opened(reply: Reply): Reply {
  switch (reply.kind) {
    case 'error':
      throw AppError.from(reply.error);
    case 'stale':
      throw new StaleSnapshot();
    case 'no_room':
      throw new NoRoom(reply.alone);
    case 'stopped':
      throw timeout();
    case 'bug': {
      const error = new Error(reply.message);
      error.stack = reply.stack;
      throw error;
    }
    default:
      return reply;
  }
}
