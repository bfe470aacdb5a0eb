/** What may stand once at the root of a batch, for all its events. */
import { parseTime } from './time.ts';

export interface BatchRoot {
  /** The sender's clock when it sent the batch, milliseconds since the epoch; null when it did not say. */
  readonly sentAt: number | null;
  readonly originServer: boolean;
  readonly clientOriginated: boolean;
}

export const NO_ROOT: BatchRoot = { sentAt: null, originServer: false, clientOriginated: false };

/** The root's members that mean something; of a wrong type they are as not given. */
export function batchRoot(body: object): BatchRoot {
  return {
    sentAt: 'sent_at' in body ? parseTime(body.sent_at) : null,
    originServer: 'origin' in body && body.origin === 'server',
    clientOriginated: 'clientOriginated' in body && body.clientOriginated === true,
  };
}
