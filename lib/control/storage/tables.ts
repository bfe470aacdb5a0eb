/** The rows of the control database, as migrations make them. Times are milliseconds since the epoch, days UTC as YYYY-MM-DD. */
import type { Generated, GeneratedAlways } from 'kysely';
import type { BotPolicy, IpPolicy, WeekStart } from '../../base/project.ts';
import type { HostEvent, AuditEntry, Role, Suspender, Suspension, UsageCounter } from '../types.ts';

/** The order in which rows came. */
interface Numbered {
  readonly rowid: GeneratedAlways<number>;
}

interface Named extends Numbered {
  id: string;
  name: string;
  created_at: number;
}

interface OrganizationsTable extends Named {
  /** null: unlimited. */
  max_projects: number | null;
  max_events_per_month: Generated<number | null>;
  weight: Generated<number>;
  /** null: the operator or a first login. */
  created_by: string | null;
  /** null: everything works. */
  suspended: Generated<Suspension['what'] | null>;
  suspended_because: Generated<string | null>;
}

interface ProjectsTable extends Named {
  org_id: string;
  retention_days: number | null;
  ip_policy: IpPolicy;
  timezone: string;
  week_start: Generated<WeekStart>;
  bots: Generated<BotPolicy>;
  /** JSON. */
  personal_properties: Generated<string>;
  hash_key: Generated<Buffer | null>;
  /** null: what the organization may. */
  max_events_per_month: Generated<number | null>;
}

interface KeysTable {
  /** SHA-256. */
  hash: Buffer;
  kind: 'public' | 'secret' | 'org_admin';
  project_id: string | null;
  org_id: string | null;
  plain: string | null;
  sealed: Buffer | null;
  /** Of a rotated key in its grace. */
  expires_at: Generated<number | null>;
}

interface TokensTable extends Named {
  project_id: string;
  hash: Buffer;
  prefix: string;
  /** Separated by commas. */
  scopes: string;
  expires_at: number;
  last_used_at: Generated<number | null>;
  created_by: string;
  /** Who made it; null: no account did. */
  account_id: Generated<string | null>;
  /** Whether it sees personal data: 0 or 1. */
  personal: Generated<number>;
}

interface OperatorKeysTable extends Named {
  hash: Buffer;
  prefix: string;
  expires_at: number;
  last_used_at: Generated<number | null>;
}

interface UsageTable extends Record<UsageCounter, Generated<number>> {
  project_id: string;
  date: string;
  /** null: as the day before. */
  bytes_stored: Generated<number | null>;
}

interface AuditTable extends Omit<AuditEntry, 'id' | 'changes'> {
  id: GeneratedAlways<number>;
  org_id: string;
  /** JSON; null: it was no update. */
  changes: Generated<string | null>;
}

interface AccountsTable extends Numbered {
  id: string;
  email: string | null;
  name: string | null;
  created_at: number;
}

interface SessionsTable {
  hash: Buffer;
  id: string;
  account_id: string;
  created_at: number;
  used_at: number;
  ip: string | null;
  user_agent: string | null;
  /** The address that the login has proven. */
  email: string | null;
}

interface RetentionChangesTable {
  project_id: string;
  /** 0 or 1. */
  begun: Generated<number>;
  retention_days: number;
  begins_at: number;
  events: number;
}

interface DashboardsTable {
  key: GeneratedAlways<number>;
  project_id: string;
  owner: string | null;
  id: string;
  title: string;
  place: Generated<number | null>;
  version: number;
}

interface AnnotationsTable {
  id: string;
  project_id: string;
  at: number;
  text: string;
  created_at: number;
  created_by: string;
}

interface CohortVersionsTable {
  project_id: string;
  name: string;
  version: number;
  condition: string;
  description: string | null;
  /** JSON. */
  uses: string;
  at: number;
  by: string;
}

/** `broken`: its query could not be answered. */
export const ALERT_STATES = ['ok', 'firing', 'broken'] as const;
/** `firing`: it went on; `skipped`: it could not ask, and nobody is told. */
export const ALERT_OUTCOMES = ['ok', 'fired', 'firing', 'over', 'broken', 'report', 'skipped'] as const;

interface AlertsTable {
  project_id: string;
  id: string;
  title: string;
  version: number;
  state: (typeof ALERT_STATES)[number];
  since: number;
  next_at: number | null;
  forgotten: Generated<number>;
}

interface AlertVersionsTable {
  project_id: string;
  id: string;
  version: number;
  yaml: string;
  /** JSON. */
  checked: string;
  at: number;
  by: string;
}

interface AlertRunsTable {
  project_id: string;
  id: string;
  number: number;
  at: number;
  outcome: (typeof ALERT_OUTCOMES)[number];
  saw: string;
  /** JSON; null: nothing is to be told. */
  notice: Generated<string | null>;
  /** JSON. */
  told: string;
  due_at: Generated<number | null>;
  tries: Generated<number>;
}

interface WebhookMessagesTable extends Numbered {
  id: string;
  type: HostEvent['type'];
  body: string;
  made_at: number;
  /** null: it is at its end. */
  due_at: number | null;
  /** 0 or 1. */
  delivered: Generated<number>;
  tries: Generated<number>;
  tried_at: Generated<number | null>;
  answer: Generated<string | null>;
}

interface ErasedUsersTable extends Numbered {
  project_id: string;
  user_hash: string;
  /** JSON of hashes. */
  devices: string;
  up_to: number;
  at: number;
}

export interface ControlTables {
  meta: { name: string; value: Buffer };
  organizations: OrganizationsTable;
  deleted_organizations: { id: string; deleted_at: number };
  projects: ProjectsTable;
  deleted_projects: { id: string; org_id: string; deleted_at: number; purged_at: Generated<number | null> };
  /** Both; `deleted`: 0 or 1. */
  all_projects: { id: string; org_id: string; deleted: number };
  keys: KeysTable;
  tokens: TokensTable;
  usage: UsageTable;
  audit: AuditTable;
  accounts: AccountsTable;
  identities: { issuer: string; subject: string; account_id: string; created_at: number };
  members: { org_id: string; account_id: string; role: Role; joined_at: number };
  invitations: { org_id: string; email: string; role: Role; invited_at: number };
  sessions: SessionsTable;
  session_visits: { session_id: string; org_id: string };
  login_links: { hash: Buffer; email: string; org_id: string | null; role: Role | null; expires_at: number };
  used_logins: { state: Buffer; expires_at: number };
  ingest_turns: { project_id: string; next_arrival: number; holder: string | null; held_until: number };
  erased_users: ErasedUsersTable;
  daily_salts: { day: string; sealed: Buffer };
  retention_changes: RetentionChangesTable;
  suspensions: { project_id: string; suspender: Suspender; what: Suspension['what']; reason: string };
  dashboards: DashboardsTable;
  dashboard_versions: { dashboard: number; version: number; yaml: string; checked: string; at: number; by: string };
  cohorts: { project_id: string; name: string; version: number };
  cohort_versions: CohortVersionsTable;
  alerts: AlertsTable;
  alert_versions: AlertVersionsTable;
  alert_runs: AlertRunsTable;
  questions: { project_id: string; name: string; version: number };
  question_versions: { project_id: string; name: string; version: number; query: string; at: number; by: string };
  annotations: AnnotationsTable;
  backup_targets: { data: string; path: string; synced: number };
  /** `told`: JSON of an error, 'null' when it is done; null: it is not. */
  replacements: { project_id: string; force: number; told: string | null };
  operator_keys: OperatorKeysTable;
  idempotent_answers: { owner: string; key: Buffer; request: Buffer; status: number; sealed: Buffer; at: number };
  webhook_messages: WebhookMessagesTable;
  webhook_told: { what: string; at: number };
}
