/** Endpoints whose requests take turns: the management APIs and the console. */
import type { Express, Request, RequestHandler, Response } from 'express';
import type { Tenant } from '../base/project.ts';
import type { RouterContext } from './context.ts';
import { addEndpoint, type Methods } from './endpoint.ts';
import { boundAnswer } from './http/answer.ts';

interface Answering {
  readonly request: Request;
  readonly response: Response;
}

/**
 * Like `addEndpoint` for each path of a table, in turns: with an admin key by its organization; else by the account that is logged
 * in, which may ask about organizations that it does not belong to. Changes are limited by the minute, those that fail too: by
 * account, so that nobody can keep the others of an organization from removing them. Ending sessions is no such change: whoever
 * has a stolen one must not keep its owner from that.
 */
export function addInTurns(app: Express, context: RouterContext, table: Readonly<Record<string, Methods>>): void {
  const { gatekeeper, clients, sessions, changeRate } = context;
  for (const [path, methods] of Object.entries(table)) {
    const ownerOf = path.startsWith('/api/admin/')
      ? (request: Request) => gatekeeper.admitOrganization(request, clients.of(request).ip)
      : async (request: Request) => (await sessions.loggedInEarly(request)).account.id;
    const taking =
      (method: string, handler: RequestHandler): RequestHandler =>
      async (request, response, next) => {
        const owner = await ownerOf(request);
        if (method !== 'get' && !path.startsWith('/api/sessions')) {
          changeRate.check(owner);
          changeRate.add(owner, 1);
        }
        await inTurn(context, owner, { request, response }, () => handler(request, response, next));
      };
    const all = Object.entries(methods).map(([method, handler]) => [method, taking(method, handler)] as const);
    addEndpoint(app, path, { methods: Object.fromEntries<RequestHandler>(all) });
  }
}

/**
 * Answers a request when it is its owner's turn, if its client is still there. Rejects with 429 if too many wait, or if the owner's
 * clients have too much to read.
 */
export async function inTurn(
  { turns, unread }: RouterContext,
  owner: string,
  { request, response }: Answering,
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
