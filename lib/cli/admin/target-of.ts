import { resolve } from 'node:path';
import { BUCKET_FORM, locationText, namesBucket, parseLocation } from '../../buckets/location.ts';
import { UsageError } from '../command.ts';

/** What a command line calls a backup target: an absolute path, or a bucket. One has one spelling, by which it is known. */
export function targetOf(text: string): string {
  if (!namesBucket(text)) return resolve(text);
  const location = parseLocation(text);
  if (location === null) throw new UsageError(`${text} does not name a bucket: write ${BUCKET_FORM}`);
  return locationText(location);
}
