/** How the control database is opened, and what that makes. */
import type { Audited } from './audit.ts';
import type { ConnectionOptions } from './storage/connection.ts';
import type { Price } from './usage/price.ts';
import type { Organization, Project } from './types.ts';

export interface OpenOptions extends ConnectionOptions {
  /** WINDLASS_SECRET; null: the one kept in the data folder, made when there is none. */
  readonly secret: string | null;
  /** How long sessions live however much they are used, ms; left out: 90 days. */
  readonly sessionLifetime?: number;
  /** What bills are made with, null: none are made; left out: the default price. */
  readonly price?: Price | null;
  /** Told of what goes into the audit trail, once it is there. */
  readonly onAudit?: (entry: Audited) => void;
  /** Told when counters cannot be written in the background; they are tried again every second. */
  readonly onError?: (error: unknown) => void;
}

/** What a first start made: the only moment at which the admin key can be read. */
export interface Defaults {
  readonly organization: Organization;
  readonly adminKey: string;
  readonly project: Project;
  readonly secretKey: string;
}
