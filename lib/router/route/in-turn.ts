/** Requests that take turns: those to the management APIs, dashboards and the console. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Tenant } from '../../base/project.ts';
import type { RouterContext } from '../context.ts';
import { boundAnswer } from '../http/answer.ts';

/**
 * Answers a request when it is its owner's turn, if its client is still there. Rejects with 429 if too many wait, or if the owner's
 * clients have too much to read.
 */
export async function inTurn(
  { turns, unread }: Pick<RouterContext, 'turns' | 'unread'>,
  owner: string,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  answer: () => unknown,
): Promise<void> {
  boundAnswer(response, (bytes) => unread.hold(response, managementOf(owner), bytes));
  await turns.run(request, owner, async () => {
    if (!response.destroyed) await answer();
  });
}

/** Who bodies and answers in memory are counted for. */
export function managementOf(owner: string): Tenant {
  return { id: `management of ${owner}`, orgId: owner, weight: 1 };
}
