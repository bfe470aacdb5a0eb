/** The records of the control database as the rest of the service sees them. Times are milliseconds since the epoch. */
import type { BotPolicy, IpPolicy, WeekStart } from '../base/project.ts';

export type Scope = 'track' | 'query' | 'admin' | 'dashboards';
export const SCOPES: readonly Scope[] = ['track', 'query', 'admin', 'dashboards'];

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly limits: {
    /** null: unlimited. */
    readonly projects: number | null;
    readonly eventsPerMonth: number | null;
    /** Its share of rates and turns, as a multiple of the usual one. */
    readonly weight: number;
  };
  /** What the operator has switched off of all of its projects; null: nothing. */
  readonly suspension: Pick<Suspension, 'what' | 'reason'> | null;
}

export interface ProjectSettings {
  readonly retentionDays: number | null;
  readonly ipPolicy: IpPolicy;
  readonly timezone: string;
  readonly weekStart: WeekStart;
  readonly bots: BotPolicy;
  /** Properties that are personal data besides those that every project's are: their names, without `user.` and the like. */
  readonly personalProperties: readonly string[];
  /** Events that the project alone may store in a UTC month; null: what its organization may. */
  readonly eventsPerMonth: number | null;
}

/** A shorter retention that removes stored events. */
export interface RetentionChange {
  readonly retentionDays: number;
  readonly beginsAt: number;
  /** How many older ones were stored when it was asked for. */
  readonly events: number;
}

/** What can be switched off for a project. */
export const SUSPENDABLE = ['ingest', 'queries', 'all'] as const;

export interface Suspension {
  readonly what: (typeof SUSPENDABLE)[number];
  /** As answers to its clients show it. */
  readonly reason: string;
  /** Who alone can end it: the operator of the host, or who manages the organization. */
  readonly by: Suspender;
  /** The operator has suspended the whole organization. */
  readonly of?: 'organization';
}

export type Suspender = 'operator' | 'organization';

export interface Project {
  readonly id: string;
  readonly orgId: string;
  /** Of its organization. */
  readonly weight: number;
  readonly name: string;
  readonly publicKey: string;
  readonly createdAt: number;
  readonly settings: ProjectSettings;
  /** At most one per suspender, and that of its organization; none: everything works. */
  readonly suspensions: readonly Suspension[];
  readonly retention: {
    /** What is to begin: until then `settings` is what it was. */
    readonly next: RetentionChange | null;
    /** The last that has begun. */
    readonly last: RetentionChange | null;
  };
}

/** Whom a key speaks for. `pk_`, `sk_`, `aat_` belong to a project, `ak_` to an organization, `op_` to the operator of the host. */
export type Credential =
  | { readonly kind: 'public' | 'secret'; readonly project: Project; readonly scopes: readonly Scope[] }
  | TokenCredential
  | { readonly kind: 'org_admin'; readonly orgId: string }
  | { readonly kind: 'operator'; readonly keyId: string };

interface TokenCredential {
  readonly kind: 'token';
  readonly project: Project;
  readonly scopes: readonly Scope[];
  readonly tokenId: string;
  /** The project's key that hashes ids for a token that sees no personal data; null: this one sees it. */
  readonly hashKey: string | null;
}

export interface Token {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  /** Whether it sees personal data. */
  readonly personal: boolean;
  readonly expiresAt: number;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  /** The name of who made it, as it was then. */
  readonly createdBy: string;
  /** The account that made it; null: it was made with a key or by the operator, or nobody can tell. */
  readonly accountId: string | null;
}

/** Roles of members, lowest first: each includes those before it. */
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** A person. `email` is proven, in lower case; null if no provider has ever vouched for one. */
export interface Account {
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly createdAt: number;
}

/** A person as a login provider knows it. Only (issuer, subject) identifies people. */
export interface LoginIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
}

export interface Membership {
  readonly organization: Organization;
  readonly role: Role;
}

/** A logged-in browser, as its account sees it. */
export interface LoginSession {
  /** Names it; not a secret. */
  readonly id: string;
  readonly createdAt: number;
  /** To the hour. */
  readonly usedAt: number;
  /** When it ends even if used. */
  readonly endsAt: number;
  /** Where the login came from; null if unknown. */
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** A member of an organization, or an invited address. */
export interface Member {
  /** The id of the account if it has no proven address. */
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly status: 'active' | 'invited';
  /** null: not yet. */
  readonly joinedAt: number | null;
}

/** Who did something, for the audit trail: `token:tok_…`, `secret:prj_…`, `admin key`, an e-mail address, or `wl admin`. */
export interface Actor {
  readonly name: string;
  /** Address it came from; null on the server's own machine. */
  readonly ip: string | null;
  /** Missing: a key or the operator. */
  readonly accountId?: string;
}

/** What the audit trail tells of: a kind of thing, and what was done to one. */
export const AUDIT_ACTIONS = [
  'login',
  'key.rotate',
  'token.create',
  'token.revoke',
  'member.invite',
  'member.join',
  'member.decline',
  'member.update',
  'member.remove',
  'project.create',
  'project.update',
  'project.delete',
  'project.suspend',
  'project.resume',
  'project.export',
  'project.import',
  'project.restore',
  'org.update',
  'org.suspend',
  'org.resume',
  'org.delete',
  'limits.update',
  'user.export',
  'user.erase',
  'user.erase_failed',
  'events.delete',
  'events.delete_failed',
  'dashboard.write',
  'cohort.write',
  'alert.write',
  'question.write',
  'annotation.write',
  'operator_key.create',
  'operator_key.revoke',
  'org.create',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Fields that were changed, as the API names them. */
export type Changes = Readonly<Record<string, Change>>;

interface Change {
  readonly from: string | number | null;
  readonly to: string | number | null;
}

/**
 * An entry of the audit trail. `target` is an id; for changes of members their address (`ada@example.com/role:admin`), for
 * users of a project a keyed hash.
 */
export interface AuditEntry {
  readonly id: string;
  readonly at: number;
  readonly actor: string;
  readonly action: AuditAction;
  readonly target: string;
  readonly ip: string | null;
  /** null: it was no update. */
  readonly changes: Changes | null;
}

/** An invitation as the invited person sees it. */
export interface Invitation {
  readonly orgId: string;
  readonly orgName: string;
  readonly role: Role;
  readonly invitedAt: number;
}

/** What is counted of a project on a day, as the API names it. */
export const USAGE_COUNTERS = [
  ...(['events_ingested', 'events_stored', 'events_rejected', 'events_duplicate', 'events_dropped'] as const),
  ...(['times_replaced', 'fields_ignored', 'values_trimmed', 'ids_ignored', 'queries_run', 'query_ms'] as const),
];

export type UsageCounter = (typeof USAGE_COUNTERS)[number];

/** A UTC day of usage. */
export interface ProjectUsageRow extends Readonly<Record<UsageCounter, number>> {
  readonly date: string; // YYYY-MM-DD
  /** At the end of the day. */
  readonly bytes_stored: number;
}

/** A UTC month of an organization, whole even if the requested range covers only part of it. */
export interface UsageMonth {
  readonly month: string; // YYYY-MM
  readonly events_stored: number;
  /** Missing if the host has no price, like the amount. */
  readonly billable_events?: number;
  /** Not rounded; named by the currency: `amount_usd`. */
  readonly [amount: `amount_${string}`]: number;
}

/** A limit that refused somebody. */
export type ReachedLimit = 'projects' | 'events_per_month' | 'events_per_minute' | 'queries_per_minute';

/** An event for the host, as it is sent. It holds ids and no tenant's text. */
export type HostEvent =
  | HostEventOf<'project.created' | 'project.deleted', { readonly org_id: string; readonly project_id: string }>
  | HostEventOf<'limit.reached', LimitReached>
  | HostEventOf<'limit.near', LimitNear>
  /** `project_id`: null: unknown. */
  | HostEventOf<'damage.found', { readonly where: 'shard' | 'journal'; readonly project_id: string | null }>
  /** The operator wants to see a message arrive. */
  | HostEventOf<'webhook.test', Readonly<Record<string, never>>>;

interface HostEventOf<Type, Data> {
  readonly type: Type;
  readonly data: Data;
}

export interface LimitReached {
  readonly org_id: string;
  /** null: it concerns only the organization. */
  readonly project_id: string | null;
  readonly limit: ReachedLimit;
}

/** A month's limit that will refuse somebody. */
export interface LimitNear extends LimitReached {
  readonly percent: (typeof NEAR_PERCENTS)[number];
}

/** The shares of a month's limit that are told, and then the limit itself. */
export const NEAR_PERCENTS = [80, 50] as const;
