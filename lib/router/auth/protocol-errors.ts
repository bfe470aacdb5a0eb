/** Turns what openid-client throws into what a login can answer. */
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { LoginRefused, ProviderTrouble } from './login-errors.ts';

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
