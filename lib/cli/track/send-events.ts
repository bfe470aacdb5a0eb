/** POST /track. */
import type { ApiClient, ApiRequest } from '../client/api-client.ts';
import type { RetryPolicy } from '../client/retry.ts';
import { isRecord } from '../../base/is-record.ts';
import { asRecord } from '../client/client-command.ts';

/** The server's answer to a request. */
export interface Taken {
  readonly accepted: number;
  readonly rejected: number;
  /** The first ones; `index` counts from 0. */
  readonly errors: readonly { readonly index: number; readonly error: string }[];
}

/** Sends one event or `{"events": […]}` as JSON text. Every event has its insert id, so it may be resent. */
export async function sendEvents(
  api: ApiClient,
  body: string | Buffer,
  retry: RetryPolicy,
  watch?: Pick<Required<ApiRequest>, 'onSent' | 'onUncertain'>,
): Promise<Taken> {
  const answer = await api.json({
    method: 'POST',
    path: '/track',
    parameters: { report: 'true' },
    body,
    key: 'track',
    retry,
    anonymous: true,
    isFinishing: true,
    ...(watch && { ...watch, isOneOfMany: true }),
  });
  const { accepted, rejected, errors } = asRecord(answer);
  return {
    accepted: Number(accepted ?? 0),
    rejected: Number(rejected ?? 0),
    errors: (Array.isArray(errors) ? errors.filter(isRecord) : []).map(({ index, error }) => ({
      index: Number(index),
      error: String(error),
    })),
  };
}
