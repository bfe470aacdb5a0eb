/** How to reach the store of buckets: one for the whole service. */
import type { Config } from '../base/config/config.ts';

export interface BucketAccess {
  /** URL without a trailing slash; the bucket is the first part of the path. */
  readonly endpoint: string;
  readonly region: string;
  readonly key: string;
  readonly secret: string;
}

type Settings = Pick<Config, 'backupS3Endpoint' | 'backupS3Region' | 'backupS3Key' | 'backupS3Secret'>;

/** null: no key is set. */
export function bucketAccess({
  backupS3Endpoint: endpoint,
  backupS3Region: region,
  backupS3Key: key,
  backupS3Secret: secret,
}: Settings): BucketAccess | null {
  if (key === null || secret === null) return null;
  return { endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`, region, key, secret };
}
