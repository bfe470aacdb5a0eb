/** Requests to providers: bounded in time and answer size, and without TLS only on this machine. */
import type { CustomFetch } from 'openid-client';
import { boundedBody } from '../../base/net/bounded-body.ts';
import { isLoopback } from '../../base/net/loopback.ts';
import { ProviderTrouble } from './login-errors.ts';
import { messageOf } from '../../base/errors.ts';

/** Seconds for one request. A login makes up to three; `login.ts` bounds their sum. */
export const REQUEST_SECONDS = 7;

/** Bytes of an answer: far more than the keys of a large provider. */
const MAX_ANSWER = 1_048_576;
const SERVER_ERROR = 500;

/** `fetch` for openid-client. Rejects with ProviderTrouble when there is no answer to check. */
export const providerFetch: CustomFetch = async (url, { body, ...options }) => {
  const { protocol, hostname, host } = new URL(url);
  if (protocol === 'http:' && !isLoopback(hostname)) throw new ProviderTrouble(`${host} is to be asked without TLS`);
  try {
    const response = await fetch(url, { ...options, ...(body === undefined ? {} : { body }) });
    if (response.status >= SERVER_ERROR) {
      await response.body?.cancel();
      throw new ProviderTrouble(`${host} answers ${response.status}`);
    }
    const { status, headers } = response;
    const tooLong = (): Error => new ProviderTrouble(`${host} answers more than ${MAX_ANSWER} bytes`);
    const answered = await boundedBody(response, MAX_ANSWER, tooLong);
    return new Response(answered.length === 0 ? null : answered, { status, headers });
  } catch (error) {
    throw error instanceof ProviderTrouble ? error : new ProviderTrouble(`${host}: ${reasonOf(error)}`);
  }
};

/** `fetch` always says "fetch failed"; its cause says why. */
function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error
    ? error.cause.message || error.message
    : messageOf(error);
}
