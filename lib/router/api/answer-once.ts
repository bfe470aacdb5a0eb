/** Answers requests that create something: a retry with the same Idempotency-Key gets the same answer and creates nothing. */
import { pathOf } from '../http/query-string.ts';
import type { Request, RequestHandler } from 'express';
import { AppError } from '../../base/errors.ts';
import { JSON_TYPE, sendText } from '../http/answer.ts';
import type { RouterContext } from '../context.ts';
import type { JsonBody } from './json-body.ts';

/** Lets in who may create something. `admit`: as for `JsonBody.receiveFrom`. */
interface From<A> {
  readonly takesKeys: boolean;
  readonly admit: (request: Request) => Promise<A>;
}

interface Made {
  readonly status: number;
  readonly value: unknown;
}

/** A handler that answers with what `make` makes of a body; `make` may throw: then nothing is made and the key is not recorded. */
export function creating<A extends { readonly orgId: string }, B>(
  context: RouterContext,
  wanted: JsonBody<B>,
  { takesKeys, admit }: From<A>,
  make: (admitted: A, body: B) => Promise<Made>,
): RequestHandler {
  const { control } = context;
  return async (request, response) => {
    const { body, admitted } = await wanted.receiveFrom(() => admit(request), { context, request, response });
    const answer = async (): Promise<{ status: number; body: string }> => {
      const { status, value } = await make(admitted, body);
      return { status, body: JSON.stringify(value) };
    };
    const key = takesKeys ? keyOf(request) : null;
    if (key === null) {
      const { status, body: text } = await control.together(answer);
      return sendText(response, status, JSON_TYPE, text);
    }
    const what = `${request.method} ${pathOf(request)} ${JSON.stringify(body)}`;
    const asked = { orgId: admitted.orgId, key, request: what };
    const { status, body: text, replayed } = await control.idempotency.once(asked, answer);
    if (replayed) response.setHeader('Idempotency-Replayed', 'true');
    sendText(response, status, JSON_TYPE, text);
  };
}

/** null: the request has none. Throws AppError 400 for an invalid one. */
function keyOf(request: Request): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new AppError('bad_request', 'Idempotency-Key must be 1 to 255 visible ASCII characters, such as a UUID.');
}
