import { AppError } from '../base/errors.ts';
import type { BucketAccess } from './access.ts';
import { Bucket } from './bucket.ts';
import { BUCKET_FORM, parseLocation } from './location.ts';
import type { Patience } from './request.ts';

/** Sends no request yet. Throws AppError if the text names no bucket or no key is set. */
export function openBucket(text: string, access: BucketAccess | null, patience?: Patience): Bucket {
  const location = parseLocation(text);
  if (location === null) {
    throw new AppError('bad_request', `${text} names no bucket`, { hints: [`write ${BUCKET_FORM}`] });
  }
  if (access === null) {
    throw new AppError('bad_request', `there is no key for ${text}`, {
      hints: ['set WINDLASS_BACKUP_S3_KEY and WINDLASS_BACKUP_S3_SECRET, or files with them by …_FILE'],
    });
  }
  return new Bucket(access, location, patience);
}
