/** The copy of the log of erasures at one backup target: a folder or a bucket. */
import path from 'node:path';
import type { BucketAccess } from '../buckets/access.ts';
import { openBucket } from '../buckets/open-bucket.ts';
import { namesBucket } from '../buckets/location.ts';
import { BucketLog } from './bucket-log.ts';
import { ERASURE_LOG } from './log-file.ts';
import { TargetFile } from './target-file.ts';

/** Other targets wait for one that does not answer, which is retried anyway. Milliseconds. */
const PATIENCE = { attempt: 60_000, pauses: [1_000] };

export interface LogCopy {
  /** Resolves once all lines of a log are on the target's disk. Rejects when it is unreachable. */
  bring(log: Buffer): Promise<void>;
}

/** `access`: null if no key is set; then a bucket throws AppError. */
export function logCopyAt(target: string, access: BucketAccess | null): LogCopy {
  return namesBucket(target)
    ? new BucketLog(openBucket(target, access, PATIENCE))
    : new TargetFile(path.join(target, ERASURE_LOG));
}
