/** Records as the API and `wl admin --json` show them. Times are ISO 8601 in UTC. */
import type { AuditEntry, Organization, Project, Token } from './types.ts';

export function organizationJson(organization: Organization) {
  const { id, name, createdAt, limits } = organization;
  return {
    id,
    name,
    created_at: isoTime(createdAt),
    limits: { projects: limits.projects, events_per_month: limits.eventsPerMonth },
  };
}

/** Without the secret key, which only single projects show. */
export function projectJson(project: Project) {
  const { id, orgId, name, publicKey, createdAt, settings } = project;
  return {
    id,
    org_id: orgId,
    name,
    public_key: publicKey,
    created_at: isoTime(createdAt),
    settings: {
      retention_days: settings.retentionDays,
      ip_policy: settings.ipPolicy,
      timezone: settings.timezone,
    },
  };
}

export function tokenJson(token: Token) {
  return {
    id: token.id,
    name: token.name,
    prefix: token.prefix,
    scopes: token.scopes,
    expires_at: isoTime(token.expiresAt),
    created_at: isoTime(token.createdAt),
    last_used_at: token.lastUsedAt === null ? null : isoTime(token.lastUsedAt),
    created_by: token.createdBy,
  };
}

export function auditJson(entry: AuditEntry) {
  return { ...entry, at: isoTime(entry.at) };
}

export function isoTime(time: number): string {
  return new Date(time).toISOString();
}
