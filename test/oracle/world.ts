/** A world: the requests of one project as POSTed, in the order in which they are answered. */

import type { Hides } from '../../lib/dsl/plan/hides.ts';

export type WorldRequest =
  | {
      /** When the request arrives, milliseconds since the epoch. */
      readonly at: number;
      /** The events of one batch, as parsed JSON; a whole number that is sent by its digits alone is a bigint where it lies beyond 2^53. */
      readonly track: readonly unknown[];
      /** Sent with a public key: its events count as the client's. */
      readonly publicKey?: boolean;
    }
  | { readonly at: number; readonly identify: unknown }
  /** Undoes the last binding of this device. */
  | { readonly at: number; readonly unbind: string };

export type World = readonly WorldRequest[];

/** What a query needs to know besides its text. */
export interface QueryContext {
  /** When the query arrives, milliseconds since the epoch. */
  readonly now: number;
  /** The zone of the project; null: UTC. */
  readonly timezone: string | null;
  /** The request's page. */
  readonly limit: number;
  readonly offset: number;
  /** Whoever asks sees no personal data. */
  readonly hides?: Hides;
  /** The conditions of the project's cohorts, by name. */
  readonly cohorts?: ReadonlyMap<string, string>;
}

export type JsonObject = { readonly [key: string]: unknown };

/** An event as the oracle keeps it: everything that a query can see. */
export interface OracleEvent {
  /** Arrival number: orders the events of one millisecond. */
  readonly arrival: number;
  readonly time: number;
  readonly type: string;
  readonly userId: string | null;
  readonly deviceId: string | null;
  readonly sessionId: string | null;
  readonly insertId: string;
  readonly properties: JsonObject;
  readonly userProperties: JsonObject;
  /** `_url` and the like; an absent name is missing. */
  readonly enriched: { readonly [name: string]: string };
  /** The person, under the bindings after the last request. */
  readonly distinctId: string | null;
}

export interface OracleProfile {
  readonly userId: string;
  readonly firstSeen: number;
  readonly lastSeen: number;
  readonly properties: JsonObject;
}

/** What a world results in: events by time, then arrival. */
export interface Facts {
  readonly events: readonly OracleEvent[];
  readonly profiles: ReadonlyMap<string, OracleProfile>;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
