/** How much of profiles one request may change. */
import { AppError } from '../../base/errors.ts';

/** Most bytes of the profiles that one request may change: all of them are in memory until they are stored. One may be larger. */
export const MOST_PROFILES = 16 << 20;

export const tooManyProfiles = (): AppError =>
  new AppError(
    'payload_too_large',
    `The users in the request have profiles of more than ${MOST_PROFILES >> 20} MiB together. Send fewer users at a time.`,
  );
