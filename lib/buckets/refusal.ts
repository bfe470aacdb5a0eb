/** Explains a store's refusal or silence to whoever runs the service: a message and what to do. Neither contains a secret. */
import { AppError } from '../base/errors.ts';

/** Gives the reason: the system's error code if there is one. */
export function noAnswer(endpoint: string, error: unknown): AppError {
  return new AppError('storage_unavailable', `the store ${endpoint} cannot be reached (${reasonOf(error)})`, {
    hints: ['look at WINDLASS_BACKUP_S3_ENDPOINT and at the network; earlier backups are as they were'],
  });
}

/** `code`: the store's own error code, '' if it gives none. */
export function refusal(
  bucket: string,
  endpoint: string,
  { status, code }: { status: number; code: string },
): AppError {
  const said = code === '' ? String(status) : `${status} ${code}`;
  const [message, hint] = meaningOf(bucket, endpoint, { status, code });
  return new AppError('storage_unavailable', `${message} (${said})`, { hints: [hint] });
}

function meaningOf(
  bucket: string,
  endpoint: string,
  { status, code }: { status: number; code: string },
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
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
