/** Questions that ask themselves: an alert tells when a condition on an answer begins and ends to hold, a report sends the answer. */

/** How often, on what, to whom: as it is stored. Times and addresses are texts, checked when it is saved (check.ts). */
export interface Alert {
  readonly id: string;
  readonly title: string;
  readonly description: string | null;
  /** As schedule.ts reads it. */
  readonly schedule: string;
  /** IANA name, of the query and the schedule; null: the project's. */
  readonly timezone: string | null;
  /** Either this or `dashboard`. */
  readonly query: string | null;
  /** The id of a dashboard of the project. */
  readonly dashboard: string | null;
  /** As condition.ts reads it; null: a report, which is sent every time. */
  readonly when: string | null;
  readonly to: readonly Target[];
  readonly paused: boolean;
}

export const TARGET_KINDS = ['webhook', 'slack', 'discord', 'email'] as const;

export interface Target {
  readonly kind: (typeof TARGET_KINDS)[number];
  /** A URL, or an address. */
  readonly to: string;
}

/** What of a target may be shown to everybody in the project: addresses of hooks are secrets. */
export function shownTarget({ kind, to }: Target): string {
  return `${kind} ${kind === 'email' || !URL.canParse(to) ? to : new URL(to).host}`;
}

/** Bytes of the YAML of an alert. */
export const MAX_ALERT_BYTES = 32_768;

/** Rows of an answer that a condition looks at. */
export const MAX_ALERT_ROWS = 1_000;
