/** What every layer knows of a project. */

export type IpPolicy = 'full' | 'anonymized' | 'none';

/** Whose work something is: limits and turns are shared by organizations first, then by their projects. */
export interface Tenant {
  readonly id: string; // prj_…
  readonly orgId: string; // org_…
  /** The organization's share, from 1: of as many ordinary ones. */
  readonly weight: number;
}

/** Under which rules events are taken. The journal keeps them with each request. */
export interface IntakeRules {
  readonly id: string; // prj_…
  readonly retentionDays: number | null; // null: for ever
  readonly ipPolicy: IpPolicy;
}

/** What a store must know of a project. */
export interface ProjectRef extends Tenant, IntakeRules {}

/** An organization may do so many times what a project may, times its weight. */
export const ORGANIZATION_SHARE = 10;
