/** Members that a batch may have at its root, for all its events. */
import { parseTime } from './time.ts';

export interface BatchRoot {
  /** The sender's clock when it sent the batch, milliseconds since the epoch; null if not given. */
  readonly sentAt: number | null;
  readonly originServer: boolean;
  readonly clientOriginated: boolean;
}

export const NO_ROOT: BatchRoot = { sentAt: null, originServer: false, clientOriginated: false };

/** Some clients send 1 for true. */
export const isTrue = (value: unknown): boolean => value === true || value === 1;

/** Reads the root's known members; one of a wrong type counts as missing. */
export function batchRoot(body: object): BatchRoot {
  return {
    sentAt: 'sent_at' in body ? parseTime(body.sent_at) : null,
    originServer: 'origin' in body && body.origin === 'server',
    clientOriginated: 'clientOriginated' in body && isTrue(body.clientOriginated),
  };
}
