/** POST /track. */
import { Readable } from 'node:stream';
import { LINES_TYPE, type ApiClient, type ApiRequest } from '../client/api-client.ts';
import type { RetryPolicy } from '../client/retry.ts';
import { isRecord, type JsonRecord } from '../../base/is-record.ts';
import { asRecord } from '../client/client-command.ts';

/** The server's answer to a request. */
export interface TrackAnswer {
  readonly accepted: number;
  readonly rejected: number;
  /** The first ones; `index` counts from 0. */
  readonly errors: readonly { readonly index: number; readonly error: string }[];
  /** What is not stored as it was sent: the first ones. `index`: null for what is said of the whole batch. */
  readonly warnings: readonly { readonly index: number | null; readonly warning: string }[];
}

/** Sends identifies, a line each, which change nothing more when they are resent. */
export async function sendIdentifies(api: ApiClient, lines: string, retry: RetryPolicy): Promise<TrackAnswer> {
  const answer = await api.json({
    method: 'POST',
    path: '/identify',
    body: lines,
    type: LINES_TYPE,
    isFinishing: true,
    key: 'track',
    retry,
    anonymous: true,
  });
  return readAnswer(asRecord(answer), 'lines');
}

/**
 * Sends one event or `{"events": […]}` as JSON text, in which every event has its insert id, so it may be resent; or a stream of
 * lines, which Ctrl-C cuts off.
 */
export async function sendEvents(
  api: ApiClient,
  body: string | Buffer | Readable,
  retry: RetryPolicy,
  { strict, ...watch }: { readonly strict: boolean } & Partial<Pick<Required<ApiRequest>, 'onSent' | 'onUncertain'>>,
): Promise<TrackAnswer> {
  const isStream = body instanceof Readable;
  const answer = asRecord(
    await api.json({
      method: 'POST',
      path: '/track',
      parameters: { ...(isStream ? {} : { report: 'true' }), ...(strict ? { strict: 'true' } : {}) },
      ...(isStream ? { lines: body } : { body, isFinishing: true }),
      key: 'track',
      retry,
      anonymous: true,
      ...watch,
    }),
  );
  return readAnswer(answer, isStream ? 'lines' : 'events');
}

function readAnswer(answer: JsonRecord, sent: 'lines' | 'events'): TrackAnswer {
  const { accepted, rejected, errors, first_errors: lines, warnings } = answer;
  const listed = (list: unknown): readonly JsonRecord[] => (Array.isArray(list) ? list.filter(isRecord) : []);
  return {
    accepted: Number(accepted ?? 0),
    rejected: Number(rejected ?? 0),
    errors: listed(sent === 'lines' ? lines : errors).map((told) => ({
      index: indexOf(told) ?? 0,
      error: String(told['error']),
    })),
    warnings: listed(warnings).map((told) => ({ index: indexOf(told), warning: warningOf(told) })),
  };
}

/** Lines of a stream count from 1. null: it is said of all. */
function indexOf({ index, line }: JsonRecord): number | null {
  if (line !== undefined) return Number(line) - 1;
  return index === null ? null : Number(index);
}

/** A sentence about what is not stored as it was sent, as the server tells of it. */
const warningOf = ({ field, message, sent }: JsonRecord): string =>
  `${String(field)}: ${String(message)}: ${JSON.stringify(sent ?? null)}`;
