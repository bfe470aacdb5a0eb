/** The records of the control database as the rest of the service sees them. Times are milliseconds since the epoch. */
import type { IpPolicy } from '../project.ts';

export type Scope = 'track' | 'query' | 'admin' | 'dashboards';
export const SCOPES: readonly Scope[] = ['track', 'query', 'admin', 'dashboards'];

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  /** null: unlimited. */
  readonly limits: { readonly projects: number | null; readonly eventsPerMonth: number | null };
}

export interface ProjectSettings {
  readonly retentionDays: number | null;
  readonly ipPolicy: IpPolicy;
  readonly timezone: string;
}

export interface Project {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly publicKey: string;
  readonly createdAt: number;
  readonly settings: ProjectSettings;
}

/** Who a key speaks for. `pk_`, `sk_`, `aat_` belong to a project, `ak_` to an organization. */
export type Credential =
  | { readonly kind: 'public' | 'secret'; readonly project: Project; readonly scopes: readonly Scope[] }
  | { readonly kind: 'token'; readonly project: Project; readonly scopes: readonly Scope[]; readonly tokenId: string }
  | { readonly kind: 'org_admin'; readonly orgId: string };

export interface Token {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly createdBy: string;
}
