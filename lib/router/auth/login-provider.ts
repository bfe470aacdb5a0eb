/** What a login needs from an identity provider, whichever protocol it speaks. */
import type { LoginIdentity } from '../../control/types.ts';
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
  type CustomFetch,
} from 'openid-client';
import { boundedBody } from '../../base/net/bounded-body.ts';
import { isLoopback } from '../../base/net/loopback.ts';
import { messageOf } from '../../base/errors.ts';

/** Random texts that tie the provider's answer to our request; the browser never sees the verifier in the clear. */
export interface LoginSecrets {
  readonly state: string;
  /** Repeated in the ID token; GitHub has none. */
  readonly nonce: string;
  /** Of PKCE: the code alone is useless. */
  readonly verifier: string;
}

export interface LoginProvider {
  /** Where to send the browser. `redirectUri`: where it comes back. Rejects with ProviderTrouble. */
  authorizationUrl(secrets: LoginSecrets, redirectUri: string): Promise<URL>;
  /**
   * Who came back. `callback`: the redirect URI with the query that the browser brought. Rejects with LoginRefused when that
   * proves nothing, with ProviderTrouble when it cannot be checked.
   */
  identify(callback: URL, secrets: LoginSecrets): Promise<LoginIdentity>;
}

const LONGEST = 200; // characters of a provider's text in the log

/** Errors by which a provider refuses this person. */
const DENIALS = new Set(['access_denied', 'consent_required', 'interaction_required', 'login_required']);

/** Awaits `work`; rejects with LoginRefused or ProviderTrouble if openid-client or the provider is the cause. */
export async function translated<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw translate(error);
  }
}

function translate(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof LoginRefused) return error;
  const trouble = troubleIn(error);
  if (trouble !== null) return trouble;
  if (error instanceof AuthorizationResponseError) {
    const { error: code, error_description: description } = error;
    return new LoginRefused(DENIALS.has(code) ? 'denied' : 'failed', told(code, description));
  }
  if (error instanceof ResponseBodyError) return new LoginRefused('failed', told(error.error, error.error_description));
  return isOfProtocol(error) ? new LoginRefused('failed', detail(error)) : error;
}

/** openid-client's own TypeErrors have a code; others are bugs. */
function isOfProtocol(error: Error): boolean {
  if (error instanceof ClientError || error instanceof WWWAuthenticateChallengeError) return true;
  return error instanceof TypeError && 'code' in error;
}

/** openid-client wraps what its `fetch` throws. */
function troubleIn(error: Error): ProviderTrouble | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ProviderTrouble) return cause;
  }
  if ('code' in error && error.code === 'OAUTH_TIMEOUT') return new ProviderTrouble('no answer in time');
  return null;
}

function told(code: string, description: string | undefined): string {
  return `the provider says ${description === undefined ? code : `${code}: ${description}`}`.slice(0, LONGEST);
}

/**
 * The message, and the one below it that says exactly what was wrong. Deeper ones and their fields may contain pieces of an
 * answer.
 */
function detail(error: Error): string {
  const { cause } = error;
  const deeper = cause instanceof Error && !(cause instanceof SyntaxError) ? `: ${cause.message}` : '';
  return `${error.message}${deeper}`.slice(0, LONGEST);
}

/** Seconds for one request. A login makes up to three; `login.ts` bounds their sum. */
export const REQUEST_SECONDS = 7;

/** Bytes of an answer: far more than the keys of a large provider. */
const MAX_ANSWER = 1_048_576;

/** `fetch` for openid-client. Rejects with ProviderTrouble when there is no answer to check. */
export const providerFetch: CustomFetch = async (url, { body, ...options }) => {
  const { protocol, hostname, host } = new URL(url);
  if (protocol === 'http:' && !isLoopback(hostname)) throw new ProviderTrouble(`${host} is to be asked without TLS`);
  try {
    const response = await fetch(url, { ...options, ...(body === undefined ? {} : { body }) });
    if (response.status >= 500) {
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

/** Why a login failed, as `/login?error=<code>` tells a person. The log has the details. */
export const LOGIN_ERRORS = {
  denied: 'The provider did not log you in. You may have declined, or your account may not have access.',
  state: 'The login started in another browser, took longer than 10 minutes, or is already complete. Please try again.',
  link: 'This link has been used or has expired: links last 10 minutes. Please ask for a new one.',
  failed: 'The provider’s answer could not be verified. Please try again, and tell the operator if it keeps failing.',
} as const;

type LoginErrorCode = keyof typeof LOGIN_ERRORS;

/** A login that must not succeed. `message` is for the log and holds no secrets. */
export class LoginRefused extends Error {
  readonly code: LoginErrorCode;

  constructor(code: LoginErrorCode, message: string) {
    super(message);
    this.name = 'LoginRefused';
    this.code = code;
  }
}

/** A provider that is unreachable or broken; the person did nothing wrong. */
export class ProviderTrouble extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProviderTrouble';
  }
}
