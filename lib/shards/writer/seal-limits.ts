/** At how much a project is sealed unasked. */
import type { ShardWriter } from './shard-writer.ts';
import type { WriterOptions } from '../writer-messages.ts';

/** A seal compresses a project's text while other projects wait. Bytes. */
const TEXT = 4 << 20;
/** Profiles and bindings. */
const IDENTITIES = 16_384;

/** Bytes of profiles: each is stored as a whole, however little of it has changed. */
const PROFILES = 4 << 20;

type SealLimits = Pick<WriterOptions, 'sealRows' | 'sealBytes'>;
type Fresh = Pick<ShardWriter, 'fresh'>;

/** Whether the next seal has reached its limit. */
export function isFull({ fresh }: Fresh, limits: SealLimits): boolean {
  return fresh.rows >= limits.sealRows || isHeavy({ fresh }, limits);
}

/** Whether it has reached one in bytes or identities: reading on would make it longer than others should wait. */
export function isHeavy({ fresh }: Fresh, { sealBytes }: SealLimits): boolean {
  const { journalBytes, text, identities, profileBytes } = fresh;
  return journalBytes >= sealBytes || text >= TEXT || identities >= IDENTITIES || profileBytes >= PROFILES;
}
