/** What every layer knows about a project. */

export const IP_POLICIES = ['full', 'anonymized', 'none'] as const;
export type IpPolicy = (typeof IP_POLICIES)[number];

/** On which days weeks may begin. */
export const WEEK_STARTS = ['monday', 'sunday'] as const;
export type WeekStart = (typeof WEEK_STARTS)[number];

/** Whether answers have the events of bots. */
export const BOT_POLICIES = ['keep', 'leave out'] as const;
export type BotPolicy = (typeof BOT_POLICIES)[number];

/** Whose work something is: organizations share limits and turns first, then their projects. */
export interface Tenant {
  readonly id: string; // prj_…
  readonly orgId: string; // org_…
  /** The organization's share, 1 or more: as much as this many ordinary ones. */
  readonly weight: number;
}

/** The rules for taking events. The journal keeps them with each request. */
export interface IntakeRules {
  readonly id: string; // prj_…
  readonly retentionDays: number | null; // null: for ever
  readonly ipPolicy: IpPolicy;
}

/** What a store must know about a project. */
export interface ProjectRef extends Tenant, IntakeRules {}

/** An organization may do this many times what a project may, times its weight. */
export const ORGANIZATION_SHARE = 10;
