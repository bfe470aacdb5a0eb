/** The copy of the log of erasures at one backup target: a folder or a bucket. */
import path from 'node:path';
import type { BucketAccess } from '../buckets/access.ts';
import { openBucket } from '../buckets/open-bucket.ts';
import { namesBucket } from '../buckets/location.ts';
import { BucketLog } from './bucket-log.ts';
import { ERASURE_LOG } from './log-file.ts';
import { TargetFile } from './target-file.ts';

/** Other targets wait for one that does not answer, and it is tried again anyway. Milliseconds. */
const PATIENCE = { attempt: 60_000, pauses: [1_000] };

export interface LogCopy {
  /** Resolves when all lines of a log are on the disk of the target. Rejects when it cannot be reached. */
  bring(log: Buffer): Promise<void>;
}

/** `access`: null where no key is set. Throws AppError for a bucket then. */
export function logCopyAt(target: string, access: BucketAccess | null): LogCopy {
  return namesBucket(target)
    ? new BucketLog(openBucket(target, access, PATIENCE))
    : new TargetFile(path.join(target, ERASURE_LOG));
}
