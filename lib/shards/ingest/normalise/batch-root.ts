/** Members that a batch may have at its root, for all its events. */
import { readTime } from '../../../base/read-time.ts';

export interface BatchRoot {
  /** The sender's clock when it sent the batch, milliseconds since the epoch; NaN if it is no time; null if not given. */
  readonly sentAt: number | null;
  readonly originServer: boolean;
  readonly clientOriginated: boolean;
  /** Whether to reject events of which something would be replaced or dropped. */
  readonly strict: boolean;
}

export const NO_ROOT: BatchRoot = { sentAt: null, originServer: false, clientOriginated: false, strict: false };

/** Some clients send 1 for true. */
export const isTrue = (value: unknown): boolean => value === true || value === 1;

/** Reads the root's known members; one of a wrong type counts as missing. */
export function batchRoot(body: object): BatchRoot {
  return {
    sentAt: 'sent_at' in body && body.sent_at !== null ? (readTime(body.sent_at) ?? NaN) : null,
    originServer: 'origin' in body && body.origin === 'server',
    clientOriginated: 'clientOriginated' in body && isTrue(body.clientOriginated),
    strict: 'strict' in body && isTrue(body.strict),
  };
}
