/** What only the operator of the host may do: delete organizations, and see everybody's usage. */
import { giveWay } from '../../base/give-way.ts';
import { monotonic } from '../../base/monotonic.ts';
import { threshold } from '../../base/threshold.ts';
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
import { daysOf, type UsageRange } from '../usage/usage-range.ts';
import { WebhookMessages } from './webhook-messages.ts';

const MONTH_COUNTERS = ['events_ingested', 'events_stored', 'queries_run', 'query_ms'] as const;

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

export const DAY_COUNTERS = [
  ...(['events_ingested', 'events_stored', 'events_rejected', 'events_duplicate', 'events_dropped'] as const),
  ...(['queries_run', 'query_ms'] as const),
];

/** What a project used on a UTC day. */
export interface ProjectDay extends Readonly<Record<(typeof DAY_COUNTERS)[number], number>> {
  readonly date: string;
  readonly project_id: string;
  /** null: it is deleted. */
  readonly project_name: string | null;
}

export class Operator {
  readonly backupTargets: BackupTargets;
  readonly replacements: Replacements;
  /** Projects that come from or go to another host. */
  readonly parcels: Parcels;
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
  async noteBackup(damaged: number): Promise<void> {
    const { connection } = this.#parts;
    await connection.write(async () => {
      await connection.note('last_backup', connection.now());
      await connection.note('last_backup_damaged', damaged);
    });
  }

  /** When the last backup ended, milliseconds since the epoch; null: never. */
  lastBackup(): Promise<number | null> {
    return this.#parts.connection.noted('last_backup');
  }

  /** Damaged projects, which the last backup does not hold as they were. */
  async damagedInLastBackup(): Promise<number> {
    return (await this.#parts.connection.noted('last_backup_damaged')) ?? 0;
  }

  async deletedOrganizations(): Promise<readonly string[]> {
    const rows = await this.#parts.connection.db.selectFrom('deleted_organizations').select('id').execute();
    return rows.map(({ id }) => id);
  }

  /** Erasures requested since `time`, oldest first. */
  async erasuresSince(time: number): Promise<readonly Erasure[]> {
    const select = this.#parts.connection.db.selectFrom('audit').select(['at', 'target']).orderBy('id');
    const entries = await select.where('action', '=', 'user.erase').where('at', '>=', time).execute();
    return entries.map(({ at, target }) => {
      const [project = '', user = ''] = target.split('/user:');
      return { project, user, at };
    });
  }

  /**
   * Deletes an organization with its projects, keys and memberships at once; usage, bill and audit trail stay. The caller then
   * drops the events of the returned projects, as after `projects.delete`.
   */
  async deleteOrganization(orgId: string, by: Actor): Promise<readonly string[]> {
    const { connection, organizations, projects, flusher } = this.#parts;
    await flusher.flush();
    return connection.write(async () => {
      const ids = (await projects.list(orgId)).map(({ id }) => id);
      for (const id of ids) await projects.remove(id, by);
      await organizations.delete(orgId, by);
      return ids;
    });
  }

  /**
   * What an organization's projects, deleted ones too, used in a range: a line for each project and day with any usage. Throws
   * AppError `bad_request` if that is too much for one answer.
   */
  async usageByProject(orgId: string, range: UsageRange): Promise<readonly ProjectDay[]> {
    const { connection, flusher } = this.#parts;
    const { db } = connection;
    await flusher.flush();
    const all = db.selectFrom('all_projects').leftJoin('projects', 'projects.id', 'all_projects.id');
    const named = all.where('all_projects.org_id', '=', orgId).select(['all_projects.id', 'projects.name']);
    const names = new Map((await named.orderBy('all_projects.id').execute()).map(({ id, name }) => [id, name]));
    const ids = [...names.keys()];
    const days = new Map(daysOf(range).map((date): [string, ProjectDay[]] => [date, []]));
    const inRange = db.selectFrom('usage').where('date', '>=', range.from).where('date', '<=', range.to);
    const usage = inRange.select(['date', 'project_id', ...DAY_COUNTERS]).orderBy('project_id');
    // Lines that may be read at once; in between others get their turn of the event loop.
    const step = Math.max(1, Math.floor(1_000 / days.size));
    let lines = 0;
    for (let at = 0; at < ids.length; at += step) {
      const began = monotonic();
      const rows = await usage.where('project_id', 'in', ids.slice(at, at + step)).execute();
      for (const { date, project_id, query_ms, ...counts } of rows) {
        const project_name = names.get(project_id) ?? null;
        days.get(date)?.push({ date, project_id, project_name, ...counts, query_ms: Math.round(query_ms) });
      }
      if ((lines += rows.length) > MAX_LINES) throw tooManyLines();
      await giveWay(began);
    }
    return [...days.values()].flat();
  }

  /**
   * Usage of every organization with any usage in a UTC month (YYYY-MM), deleted ones and deleted projects too. Throws AppError
   * `bad_request` for an invalid month.
   */
  async usageOfMonth(month: string) {
    if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month)) {
      throw new AppError('bad_request', `the month must be of the form YYYY-MM, not "${month}"`);
    }
    const { connection, flusher } = this.#parts;
    await flusher.flush();
    const used = Map.groupBy(await this.#month(month), ({ org_id }) => org_id);
    const organizations = await connection.db
      .selectFrom('organizations')
      .leftJoin('deleted_organizations', 'deleted_organizations.id', 'organizations.id')
      .select(['organizations.id', 'organizations.name', 'deleted_at'])
      .orderBy('organizations.created_at')
      .orderBy('organizations.rowid')
      .execute();
    return organizations.flatMap(({ id: org_id, name: org_name, deleted_at }) => {
      const projects = used.get(org_id);
      if (projects === undefined) return [];
      return {
        ...{ org_id, org_name, deleted: deleted_at !== null },
        events_stored: projects.reduce((sum, project) => sum + project.events_stored, 0),
        projects: projects.map(({ org_id: _id, project_id, project_name, ...counts }) => {
          return { project_id, project_name, deleted: project_name === null, ...counts };
        }),
      };
    });
  }

  /** By project, in the order of their ids. */
  async #month(month: string) {
    const { db } = this.#parts.connection;
    const ofMonth = db
      .selectFrom('usage')
      .innerJoin('all_projects', 'all_projects.id', 'usage.project_id')
      .leftJoin('projects', 'projects.id', 'usage.project_id')
      .select(['all_projects.org_id', 'usage.project_id', 'projects.name as project_name'])
      .select(({ fn }) => MONTH_COUNTERS.map((name) => fn.sum<number>(name).as(name)))
      .where('date', '>=', `${month}-01`)
      .where('date', '<=', `${month}-31`)
      .groupBy(['usage.project_id', 'projects.name', 'all_projects.org_id'])
      .orderBy('usage.project_id');
    const ids = (await db.selectFrom('all_projects').select('id').orderBy('id').execute()).map(({ id }) => id);
    const rows = [];
    for (let at = 0; at < ids.length; at += MONTH_STEP.value) {
      const began = monotonic();
      rows.push(...(await ofMonth.where('usage.project_id', 'in', ids.slice(at, at + MONTH_STEP.value)).execute()));
      await giveWay(began);
    }
    return rows;
  }
}

/** Projects whose month is added up at once: all days of a large host take longer than PostgreSQL gives a statement. */
const MONTH_STEP = threshold('projects whose month is added up at once', 1_000, { least: 1 });

/** Lines of usage in one answer. */
const MAX_LINES = 100_000;

function tooManyLines(): AppError {
  const most = MAX_LINES.toLocaleString('en');
  return new AppError('bad_request', `The range has more than ${most} lines of projects and days.`, {
    hints: ['Ask for fewer days at a time.'],
  });
}
