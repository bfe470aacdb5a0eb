import { resolve } from 'node:path';
import { BUCKET_FORM, locationText, namesBucket, parseLocation } from '../../base/bucket-location.ts';
import { UsageError } from '../command.ts';

/** A backup target as given on a command line: an absolute path, or a bucket in its one canonical spelling. */
export function targetOf(text: string): string {
  if (!namesBucket(text)) return resolve(text);
  const location = parseLocation(text);
  if (location === null) throw new UsageError(`${text} does not name a bucket: write ${BUCKET_FORM}`);
  return locationText(location);
}
