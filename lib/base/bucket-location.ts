/** The location of a bucket: `s3://bucket/prefix`. Anything not of that form is the path of a folder. */

export interface BucketLocation {
  readonly bucket: string;
  /** '' or ends with a slash. */
  readonly prefix: string;
}

/** Segments begin with a letter, digit or `_`: `.` and `..` mean something in a URL. None of their characters needs escaping. */
const FORM = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/\w[\w.-]{0,200}){0,8})\/?$/;

export const BUCKET_FORM = 's3://bucket or s3://bucket/prefix, of letters, digits, - _ .';

export const namesBucket = (text: string): boolean => /^s3:/i.test(text);

/** null: it names no bucket, or is malformed. */
export function parseLocation(text: string): BucketLocation | null {
  const [, bucket, path = ''] = FORM.exec(text) ?? [];
  return bucket === undefined ? null : { bucket, prefix: path === '' ? '' : `${path.slice(1)}/` };
}

export const locationText = ({ bucket, prefix }: BucketLocation): string =>
  `s3://${bucket}/${prefix}`.replace(/\/$/, '');
