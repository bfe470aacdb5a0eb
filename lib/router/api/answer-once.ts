/** Answers requests that create something: a retry with the same Idempotency-Key gets the same answer and creates nothing. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../base/errors.ts';
import { JSON_TYPE, sendText } from '../http/answer.ts';
import type { RouterContext } from '../context.ts';
import type { Door } from '../door.ts';

export const IDEMPOTENCY_KEY = 'Idempotency-Key';
export const REPLAYED = 'Idempotency-Replayed';

interface Asked {
  readonly door: Pick<Door, 'takesKeys'>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly orgId: string;
  /** As validated. */
  readonly body: unknown;
}

interface Made {
  readonly status: number;
  readonly value: unknown;
}

/** `make` may throw: then nothing is made and the key is not recorded. */
export async function answerOnce(
  { control }: RouterContext,
  { door, request, response, orgId, body }: Asked,
  make: () => Made | Promise<Made>,
): Promise<void> {
  const answer = async (): Promise<{ status: number; body: string }> => {
    const { status, value } = await make();
    return { status, body: JSON.stringify(value) };
  };
  const key = door.takesKeys ? keyOf(request) : null;
  if (key === null) {
    const { status, body: text } = await control.together(answer);
    return sendText(response, status, JSON_TYPE, text);
  }
  const [path = ''] = (request.url ?? '').split('?');
  const what = `${request.method ?? ''} ${path} ${JSON.stringify(body)}`;
  const { status, body: text, replayed } = await control.idempotency.once({ orgId, key, request: what }, answer);
  if (replayed) response.setHeader(REPLAYED, 'true');
  sendText(response, status, JSON_TYPE, text);
}

/** null: the request has none. Throws AppError 400 for an invalid one. */
function keyOf(request: IncomingMessage): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new AppError('bad_request', `${IDEMPOTENCY_KEY} must be 1 to 255 visible ASCII characters, such as a UUID.`);
}
