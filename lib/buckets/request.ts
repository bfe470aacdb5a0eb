/**
 * Requests to an S3-compatible store, signed with Signature Version 4. Each carries the SHA-256 of its body, so that a store
 * rejects what was changed on the way. Failures that may pass are retried.
 */
import { AwsV4Signer } from 'aws4fetch';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { boundedBody } from '../base/net/bounded-body.ts';
import type { BucketAccess } from './access.ts';
import { AppError, codeOf } from '../base/errors.ts';

/** Most bytes of a piece of a large object, and of an answer: what an attempt holds in memory. */
export const PIECE = 8 * 2 ** 20;
export interface Patience {
  /** Time for one attempt, to the last byte of its answer. Milliseconds. */
  readonly attempt: number;
  /** Pauses before each further attempt; none after the last. Milliseconds. */
  readonly pauses: readonly number[];
}

/** A piece in two minutes is half a megabit a second. */
const PATIENCE: Patience = { attempt: 120_000, pauses: [250, 1_000, 4_000] };

export interface BucketRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** '' for the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** The first byte wanted, and the one after the last: at most a piece. */
  readonly range?: readonly [from: number, to: number];
}

export interface BucketAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

export class BucketRequests {
  readonly #access: BucketAccess;
  readonly #bucket: string;
  readonly #patience: Patience;
  /** Signing keys by day. */
  readonly #keys = new Map<string, ArrayBuffer>();

  constructor(access: BucketAccess, bucket: string, patience: Patience = PATIENCE) {
    this.#access = access;
    this.#bucket = bucket;
    this.#patience = patience;
  }

  /** null: there is no such object, or nothing in the range. Rejects with AppError `storage_unavailable` that says what to do. */
  async ask(ask: BucketRequest): Promise<BucketAnswer | null> {
    for (const pause of this.#patience.pauses) {
      const answer = await this.#try(ask).catch(() => null); // the last attempt's error is thrown
      if (answer !== null && !isPassing(answer)) return this.#judged(answer);
      await sleep(pause);
    }
    const last = await this.#try(ask).catch((error: unknown) => {
      throw noAnswer(this.#access.endpoint, error);
    });
    return this.#judged(last);
  }

  #judged(answer: BucketAnswer): BucketAnswer | null {
    if (answer.status >= 200 && answer.status < 300) return answer;
    const code = refusedWith(answer);
    if ((answer.status === 404 && code !== 'NoSuchBucket') || answer.status === 416) return null;
    throw refusal(this.#bucket, this.#access.endpoint, answer.status, code);
  }

  async #try({ method, key, query, body, range }: BucketRequest): Promise<BucketAnswer> {
    const { endpoint, region, key: accessKeyId, secret: secretAccessKey } = this.#access;
    const url = new URL(`${endpoint}/${this.#bucket}${key === '' ? '' : `/${key}`}`);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    const sum = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    const signer = new AwsV4Signer({
      ...{ method, url: url.href, headers: { 'x-amz-content-sha256': sum } },
      ...{ accessKeyId, secretAccessKey, region, service: 's3', cache: this.#keys },
    });
    const { headers } = await signer.sign();
    headers.set('accept-encoding', 'identity');
    if (range !== undefined) headers.set('range', `bytes=${range[0]}-${range[1] - 1}`);
    const response = await fetch(url, {
      ...{ method, headers, redirect: 'manual', signal: AbortSignal.timeout(this.#patience.attempt) },
      ...(body === undefined ? {} : { body }),
    });
    const { status, headers: answered } = response;
    const tooLong = (): Error => new Error(`an answer of more than ${PIECE} bytes`);
    return { status, headers: answered, body: await boundedBody(response, PIECE, tooLong) };
  }
}

/** The text between two tags; '' if there is none. */
export function between(text: string, tag: string): string {
  const from = text.indexOf(`<${tag}>`);
  const to = from < 0 ? -1 : text.indexOf(`</${tag}>`, from);
  return to < 0 ? '' : text.slice(from + tag.length + 2, to);
}

function isPassing(answer: BucketAnswer): boolean {
  const { status } = answer;
  if (status >= 500 || status === 429 || status === 408) return true;
  return (
    status === 400 &&
    /^(?:RequestTimeout|BadDigest|XAmzContentSHA256Mismatch|IncompleteBody)$/.test(refusedWith(answer))
  );
}

/** The store's error code, and nothing else of its text, which may contain a key. */
function refusedWith({ body }: BucketAnswer): string {
  const code = between(body.toString('utf8', 0, 4_096), 'Code');
  return /^\w{1,64}$/.test(code) ? code : '';
}

/** For whoever runs the service, as all that follows: a message and what to do, and no secret. */
function noAnswer(endpoint: string, error: unknown): AppError {
  return new AppError('storage_unavailable', `the store ${endpoint} cannot be reached (${reasonOf(error)})`, {
    hints: ['look at WINDLASS_BACKUP_S3_ENDPOINT and at the network; earlier backups are as they were'],
  });
}

/** `code`: the store's own error code, '' if it gives none. */
function refusal(bucket: string, endpoint: string, status: number, code: string): AppError {
  const said = code === '' ? String(status) : `${status} ${code}`;
  const [message, hint] = meaningOf(bucket, endpoint, status, code);
  return new AppError('storage_unavailable', `${message} (${said})`, { hints: [hint] });
}

function meaningOf(
  bucket: string,
  endpoint: string,
  status: number,
  code: string,
): readonly [message: string, hint: string] {
  if (code === 'NoSuchBucket')
    return [
      `there is no bucket ${bucket} at ${endpoint}`,
      'make the bucket, or correct its name or WINDLASS_BACKUP_S3_ENDPOINT: the service makes no buckets',
    ];
  if (code === 'RequestTimeTooSkewed' || code === 'RequestExpired')
    return [
      `the clocks of this machine and ${endpoint} differ too much`,
      'set the clock with NTP: signatures are valid for minutes only',
    ];
  if ((status >= 300 && status < 400) || /^(?:AuthorizationHeaderMalformed|IllegalLocationConstraint.*)$/.test(code))
    return [
      `bucket ${bucket} is not at ${endpoint}, or in another region`,
      'set WINDLASS_BACKUP_S3_REGION and WINDLASS_BACKUP_S3_ENDPOINT to those of the bucket',
    ];
  if (/^(?:InvalidAccessKeyId|SignatureDoesNotMatch)$/.test(code) || status === 401)
    return [
      `the store ${endpoint} does not know the key, or the secret is not the key's`,
      'correct WINDLASS_BACKUP_S3_KEY and WINDLASS_BACKUP_S3_SECRET',
    ];
  if (status === 403)
    return [
      `the key has not all rights to bucket ${bucket}`,
      'allow it s3:ListBucket, s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload',
    ];
  if (status >= 500 || status === 429)
    return [
      `the store ${endpoint} is in trouble, or asked too much of`,
      'try again later; earlier backups are as they were',
    ];
  return [
    `the store ${endpoint} refuses a request for bucket ${bucket}`,
    'look up the code in the documentation of the store; earlier backups are as they were',
  ];
}

/** `fetch` hides the system's code in a cause; a message may contain an address, but never a header. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return 'no answer in time';
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return reasonOf(cause.errors[0]);
  if (cause instanceof Error) return reasonOf(cause);
  return codeOf(error) || error.message;
}
