/** What every layer knows of a project. */

export type IpPolicy = 'full' | 'anonymized' | 'none';

/** What a store must know of a project to take events for it. */
export interface ProjectRef {
  readonly id: string; // prj_…
  readonly retentionDays: number | null; // null: for ever
  readonly ipPolicy: IpPolicy;
}
