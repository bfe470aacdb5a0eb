/** How the control database is opened, and what opening creates. */
import type { Audited } from './audit.ts';
import type { Price } from './usage/price.ts';
import type { PostgresLocation } from '../base/config/postgres-location.ts';
import type { Organization, Project } from './types.ts';

export interface OpenOptions {
  /** The PostgreSQL it is in; null or left out: a file of the data folder. */
  readonly location?: PostgresLocation | null;
  /** For a server: requests of one turn of the event loop share one check for other processes' changes. */
  readonly serves?: boolean;
  /** Clock, ms since the epoch. */
  readonly now?: () => number;
  /** WINDLASS_SECRET; null: the one in the data folder, created if missing. */
  readonly secret: string | null;
  /** How long sessions live even if used, ms; default: 90 days. */
  readonly sessionLifetime?: number;
  /** The price for bills; null: no bills; left out: the default price. */
  readonly price?: Price | null;
  /** Called with each audit entry once it is written. */
  readonly onAudit?: (entry: Audited) => void;
  /** Called when counters cannot be written in the background; they are retried every second. */
  readonly onError?: (error: unknown) => void;
}

/** What a first start created: the admin key can be read only now. */
export interface Defaults {
  readonly organization: Organization;
  readonly adminKey: string;
  readonly project: Project;
  readonly secretKey: string;
}
