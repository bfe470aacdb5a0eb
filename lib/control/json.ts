/** Records as the API and `wl admin --json` show them. Times are ISO 8601 in UTC. */
import { isoTime } from '../base/day.ts';
import type { WebhookMessage } from './operator/webhook-messages.ts';
import type {
  Account,
  AuditEntry,
  Invitation,
  Member,
  Membership,
  Organization,
  Project,
  RetentionChange,
  LoginSession,
  Token,
} from './types.ts';

export function organizationJson(organization: Organization) {
  const { id, name, createdAt, limits, suspension } = organization;
  return {
    id,
    name,
    created_at: isoTime(createdAt),
    limits: { projects: limits.projects, events_per_month: limits.eventsPerMonth, weight: limits.weight },
    ...(suspension !== null && { suspension }),
  };
}

export type OrganizationJson = ReturnType<typeof organizationJson>;

/** As its members see it. */
export function membershipJson({ organization, role }: Membership) {
  const { id, name, ...rest } = organizationJson(organization);
  return { id, name, role, ...rest };
}

export function memberJson({ email, name, role, status, joinedAt }: Member) {
  return { email, name, role, status, joined_at: joinedAt === null ? null : isoTime(joinedAt) };
}

export function accountJson({ id, email, name }: Account) {
  return { id, email, name };
}

/** `current`: it is the requesting one. */
export function sessionJson({ id, createdAt, usedAt, endsAt, ip, userAgent }: LoginSession, current: boolean) {
  return {
    id,
    current,
    created_at: isoTime(createdAt),
    last_used_at: isoTime(usedAt),
    expires_at: isoTime(endsAt),
    ip,
    user_agent: userAgent,
  };
}

/** Without the secret key, shown only for single projects. */
export function projectJson(project: Project) {
  const { id, orgId, name, publicKey, createdAt, settings, suspensions, retention } = project;
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
      week_start: settings.weekStart,
      bots: settings.bots,
      personal_properties: settings.personalProperties,
      events_per_month: settings.eventsPerMonth,
    },
    ...(retention.next !== null && { retention_change: retentionChangeJson(retention.next) }),
    ...(suspensions.length > 0 && { suspensions }),
  };
}

export type ProjectJson = ReturnType<typeof projectJson>;

function retentionChangeJson({ retentionDays, beginsAt, events }: RetentionChange) {
  return { retention_days: retentionDays, begins_at: isoTime(beginsAt), events };
}

/** A single project, with its secret key. */
export function projectKeysJson(project: Project, secretKey: string) {
  const { id, org_id, name, public_key, ...rest } = projectJson(project);
  return { id, org_id, name, public_key, secret_key: secretKey, ...rest };
}

export type ProjectKeysJson = ReturnType<typeof projectKeysJson>;

export function tokenJson(token: Token) {
  return {
    id: token.id,
    name: token.name,
    prefix: token.prefix,
    scopes: token.scopes,
    personal: token.personal,
    expires_at: isoTime(token.expiresAt),
    created_at: isoTime(token.createdAt),
    last_used_at: token.lastUsedAt === null ? null : isoTime(token.lastUsedAt),
    created_by: token.createdBy,
  };
}

/** `changes` only of updates. */
export function auditJson({ changes, ...entry }: AuditEntry) {
  return { ...entry, at: isoTime(entry.at), ...(changes !== null && { changes }) };
}

export function invitationJson({ orgId, orgName, role, invitedAt }: Invitation) {
  return { org_id: orgId, org_name: orgName, role, invited_at: isoTime(invitedAt) };
}

/** A message to the host's receiver. */
export function webhookMessageJson({ id, type, madeAt, state, tries, triedAt, answer, dueAt }: WebhookMessage) {
  const time = (at: number | null): string | null => (at === null ? null : isoTime(at));
  return {
    ...{ id, type, made_at: isoTime(madeAt), state, tries },
    ...{ last_try_at: time(triedAt), last_answer: answer, next_try_at: time(dueAt) },
  };
}
