/**
 * Operations of the management APIs and of dashboards. All go the same way: wait for a turn, let in, receive and check the body, let
 * in once more, since a right may be lost meanwhile, answer.
 */
import type { ServerResponse } from 'node:http';
import type { Request } from '../http/request.ts';
import { AppError } from '../../base/errors.ts';
import type { RouterContext } from '../context.ts';
import { JSON_TYPE, sendJson, sendText } from '../http/answer.ts';
import { pathOf } from '../http/query-string.ts';
import { inTurn } from './in-turn.ts';
import type { JsonBody } from './json-body.ts';
import { type Callers, type Call, operation, type Operation } from './route.ts';
import { KEYED } from './schema.ts';

/** Who may call operations, and how they wait. */
export interface TurnDoor extends Callers {
  /** Whose turn a request waits for: an organization's or an account's. Throws for who is not let in at all. */
  readonly ownerOf: (services: RouterContext, request: Request) => Promise<string>;
  /** Whether changes of an owner are limited by the minute, those that fail too. */
  readonly limitsChanges: boolean;
  /** Whether requests that create something may have an Idempotency-Key. */
  readonly takesKeys: boolean;
}

/** Lets in who may; throws for all others. */
export type Admit<A> = (services: RouterContext, request: Request) => A | Promise<A>;

interface Managed<A> extends Omit<Call, 'requestBody'> {
  readonly admit: Admit<A>;
}

interface Answering<A> extends Managed<A> {
  readonly requestBody?: unknown;
  /** False: a change that is not limited. */
  readonly limited?: false;
  /** The value of the answer, from the services that it uses; undefined: it has sent its answer itself. */
  readonly answer: (services: RouterContext, admitted: A, request: Request, response: ServerResponse) => unknown;
}

/** Reads no body of JSON. */
export function managed<A>(
  door: TurnDoor,
  id: string,
  summary: string,
  { admit, answer, limited, ...call }: Answering<A>,
): Operation {
  return inTurns(door, [id, summary, call], limited ?? true, async (services, request, response) => {
    const value = await answer(services, await admit(services, request), request, response);
    if (value !== undefined) sendJson(response, 200, value);
  });
}

interface Receiving<A, B> extends Managed<A> {
  readonly body: JsonBody<B>;
  readonly status?: 200 | 201;
  /** The value of the answer. */
  readonly answer: (services: RouterContext, admitted: A, body: B, request: Request) => unknown;
}

/** Receives a body, and answers with a value. */
export function receiving<A, B>(
  door: TurnDoor,
  id: string,
  summary: string,
  { admit, body: wanted, answer, status = 200, ...call }: Receiving<A, B>,
): Operation {
  return inTurns(door, [id, summary, wanted.shownWith(call)], true, async (services, request, response) => {
    const { body, admitted } = await wanted.receiveFrom(() => admit(services, request), services, request, response);
    sendJson(response, status, await answer(services, admitted, body, request));
  });
}

interface Made {
  readonly status: number;
  readonly value: unknown;
}

interface Creating<A, B> extends Managed<A> {
  readonly body: JsonBody<B>;
  /** May throw: then nothing is made, and the key is not recorded. */
  readonly make: (services: RouterContext, admitted: A, body: B) => Promise<Made>;
}

/** Creates something: a retry with the same Idempotency-Key gets the same answer and creates nothing. */
export function creating<A, B>(
  door: TurnDoor,
  id: string,
  summary: string,
  { admit, body: wanted, make, ...call }: Creating<A, B>,
): Operation {
  const shown = wanted.shownWith({ ...(door.takesKeys && KEYED), ...call });
  return inTurns(door, [id, summary, shown], true, async (services, request, response, owner) => {
    const { body, admitted } = await wanted.receiveFrom(() => admit(services, request), services, request, response);
    const answer = async (): Promise<{ status: number; body: string }> => {
      const { status, value } = await make(services, admitted, body);
      return { status, body: JSON.stringify(value) };
    };
    const key = door.takesKeys ? keyOf(request) : null;
    const asked = { owner, request: `${request.method} ${pathOf(request)} ${JSON.stringify(body)}` };
    const { control } = services;
    const made =
      key === null ? await control.together(answer) : await control.idempotency.once({ ...asked, key }, answer);
    if ('replayed' in made && made.replayed) response.setHeader('Idempotency-Replayed', 'true');
    sendText(response, made.status, JSON_TYPE, made.body);
  });
}

/** null: the request has none. Throws AppError 400 for an invalid one. */
function keyOf(request: Request): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new AppError('bad_request', 'Idempotency-Key must be 1 to 255 visible ASCII characters, such as a UUID.');
}

/** Changes are limited by owner, so that nobody can keep the others of an organization from removing them. */
function inTurns(
  door: TurnDoor,
  [id, summary, call]: readonly [id: string, summary: string, call: Call],
  limited: boolean,
  answer: (services: RouterContext, request: Request, response: ServerResponse, owner: string) => Promise<void>,
): Operation {
  return operation(door, id, summary, {
    ...call,
    handler: (services) => async (request, response) => {
      const owner = await door.ownerOf(services, request);
      if (limited && door.limitsChanges && request.method !== 'GET' && request.method !== 'HEAD') {
        services.changeRate.check(owner);
        services.changeRate.add(owner, 1);
      }
      await inTurn(services, owner, { request, response }, () => answer(services, request, response, owner));
    },
  });
}
