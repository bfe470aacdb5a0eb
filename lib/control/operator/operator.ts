/** What only the operator of the host may do: delete organizations, and see everybody's usage. */
import { AppError } from '../../base/errors.ts';
import type { Audit } from '../audit.ts';
import { BackupTargets } from './backup-targets.ts';
import type { ControlConnection } from '../storage/connection.ts';
import type { Flusher } from '../storage/flusher.ts';
import type { Organizations } from '../organizations.ts';
import type { Keys } from '../keys.ts';
import { Parcels } from './parcels.ts';
import type { Price } from '../usage/price.ts';
import type { Projects } from '../projects/projects.ts';
import { Replacements } from './replacements.ts';
import type { Actor } from '../types.ts';
import type { UsageRange } from '../usage/usage-range.ts';
import { WebhookMessages } from './webhook-messages.ts';

/** What a project used in a UTC month. */
export interface ProjectMonth {
  readonly orgId: string;
  readonly orgName: string;
  readonly projectId: string;
  /** null: it is deleted. */
  readonly projectName: string | null;
  readonly eventsIngested: number;
  readonly eventsStored: number;
  readonly queriesRun: number;
  readonly queryMs: number;
}

/** What an organization used in a UTC month. Free events belong to the organization. */
export interface OrganizationMonth {
  readonly orgId: string;
  readonly orgName: string;
  readonly deleted: boolean;
  readonly projects: readonly ProjectMonth[];
  readonly eventsStored: number;
}

/** The erasure of a user. */
export interface Erasure {
  readonly project: string;
  /** Keyed hash of the id, as in the audit trail. */
  readonly user: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

interface Parts {
  readonly connection: ControlConnection;
  readonly organizations: Organizations;
  readonly projects: Projects;
  readonly keys: Keys;
  readonly audit: Audit;
  readonly flusher: Flusher;
  readonly price: Price | null;
}

/** What a project used on a UTC day. */
export interface ProjectDay {
  readonly date: string;
  readonly project_id: string;
  /** null: it is deleted. */
  readonly project_name: string | null;
  readonly events_ingested: number;
  readonly events_stored: number;
  readonly events_rejected: number;
  readonly events_duplicate: number;
  readonly events_dropped: number;
  readonly queries_run: number;
  readonly query_ms: number;
}

const PROJECT_DAYS = `
  SELECT u.date, a.id AS project_id, p.name AS project_name, u.events_ingested, u.events_stored, u.events_rejected,
    u.events_duplicate, u.events_dropped, u.queries_run, CAST(round(u.query_ms) AS INTEGER) AS query_ms
  FROM usage u JOIN all_projects a ON a.id = u.project_id LEFT JOIN projects p ON p.id = a.id
  WHERE a.org_id = ? AND u.date BETWEEN ? AND ? ORDER BY u.date, a.id LIMIT ?`;

const MONTH = `
  SELECT o.id AS orgId, o.name AS orgName, d.deleted_at AS deletedAt, a.id AS projectId, p.name AS projectName,
    sum(u.events_ingested) AS eventsIngested, sum(u.events_stored) AS eventsStored,
    sum(u.queries_run) AS queriesRun, sum(u.query_ms) AS queryMs
  FROM usage u JOIN all_projects a ON a.id = u.project_id JOIN organizations o ON o.id = a.org_id
    LEFT JOIN projects p ON p.id = a.id LEFT JOIN deleted_organizations d ON d.id = o.id
  WHERE u.date BETWEEN ? AND ? GROUP BY a.id ORDER BY o.created_at, o.rowid, a.id`;

type Row = ProjectMonth & { readonly deletedAt: number | null };

export class Operator {
  readonly backupTargets: BackupTargets;
  readonly replacements: Replacements;
  /** Projects that come from or go to another host. */
  readonly parcels: Parcels;
  /** Messages for the host's receiver. */
  readonly webhooks: WebhookMessages;
  /** The price for bills; null: no bills. */
  readonly price: Price | null;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.price = parts.price;
    this.backupTargets = new BackupTargets(parts.connection);
    this.replacements = new Replacements(parts);
    this.parcels = new Parcels(parts);
    this.webhooks = new WebhookMessages(parts.connection);
  }

  /** Notes a backup, complete but for this many damaged projects. */
  noteBackup(damaged: number): void {
    const { connection } = this.#parts;
    connection.write(() => {
      connection.note('last_backup', connection.now());
      connection.note('last_backup_damaged', damaged);
    });
  }

  /** When the last backup ended, milliseconds since the epoch; null: never. */
  get lastBackup(): number | null {
    return this.#parts.connection.noted('last_backup');
  }

  /** Damaged projects, which the last backup does not hold as they were. */
  get damagedInLastBackup(): number {
    return this.#parts.connection.noted('last_backup_damaged') ?? 0;
  }

  /** Ids of all projects that were ever deleted. */
  deletedProjects(): readonly string[] {
    return this.#parts.connection.values('SELECT id FROM deleted_projects');
  }

  deletedOrganizations(): readonly string[] {
    return this.#parts.connection.values('SELECT id FROM deleted_organizations');
  }

  /** Erasures requested since `time`, oldest first. */
  erasuresSince(time: number): readonly Erasure[] {
    const sql = "SELECT at, target FROM audit WHERE action = 'user.erase' AND at >= ? ORDER BY id";
    const entries = this.#parts.connection.rows<{ at: number; target: string }>(sql, time);
    return entries.map(({ at, target }) => {
      const [project = '', user = ''] = target.split('/user:');
      return { project, user, at };
    });
  }

  /**
   * Deletes an organization with its projects, keys and memberships at once; usage, bill and audit trail stay. The caller then
   * drops the events of the returned projects, as after `projects.delete`.
   */
  deleteOrganization(orgId: string, by: Actor): readonly string[] {
    const { connection, organizations, projects, flusher } = this.#parts;
    flusher.flush();
    return connection.write(() => {
      const ids = projects.list(orgId).map(({ id }) => id);
      for (const id of ids) projects.delete(id, by);
      organizations.delete(orgId, by);
      return ids;
    });
  }

  /**
   * What an organization's projects, deleted ones too, used in a range: a line for each project and day with any usage. Throws
   * AppError `bad_request` if that is too much for one answer.
   */
  usageByProject(orgId: string, { from, to }: UsageRange): readonly ProjectDay[] {
    this.#parts.flusher.flush();
    const lines = this.#parts.connection.rows<ProjectDay>(PROJECT_DAYS, orgId, from, to, MAX_LINES + 1);
    if (lines.length <= MAX_LINES) return lines;
    throw new AppError(
      'bad_request',
      `The range has more than ${MAX_LINES.toLocaleString('en')} lines of projects and days.`,
      {
        hints: ['Ask for fewer days at a time.'],
      },
    );
  }

  /**
   * Usage of every organization with any usage in a UTC month (YYYY-MM), deleted ones and deleted projects too. Throws AppError
   * `bad_request` for an invalid month.
   */
  usageOfMonth(month: string): readonly OrganizationMonth[] {
    if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month)) {
      throw new AppError('bad_request', `the month must be of the form YYYY-MM, not "${month}"`);
    }
    this.#parts.flusher.flush();
    const rows = this.#parts.connection.rows<Row>(MONTH, `${month}-01`, `${month}-31`);
    return [...Map.groupBy(rows, ({ orgId }) => orgId).values()].map(organizationMonth);
  }
}

/** Lines of usage in one answer. */
const MAX_LINES = 100_000;

function organizationMonth(rows: readonly Row[]): OrganizationMonth {
  const eventsStored = rows.reduce((sum, row) => sum + row.eventsStored, 0);
  const [{ orgId, orgName, deletedAt } = { orgId: '', orgName: '', deletedAt: null }] = rows;
  const projects = rows.map(({ deletedAt: _deleted, ...row }) => row);
  return { orgId, orgName, deleted: deletedAt !== null, projects, eventsStored };
}
