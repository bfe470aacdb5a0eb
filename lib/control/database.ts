import { makeFolderOnDisk } from '../base/files/make-folders.ts';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Accounts } from './accounts/accounts.ts';
import { Alerts } from './projects/alerts.ts';
import { Allowance } from './usage/allowance.ts';
import { Audit, type Audited } from './audit.ts';
import { ControlConnection } from './storage/connection.ts';
import { takeRevocations } from './storage/take-revocations.ts';
import { SharedSalts } from './storage/shared-salts.ts';
import { SqliteEngine } from './storage/sqlite-engine.ts';
import { Annotations } from './projects/annotations.ts';
import { Cohorts } from './projects/cohorts.ts';
import { Credentials } from './projects/credentials.ts';
import { Dashboards } from './projects/dashboards.ts';
import { ErasedUsers } from './projects/erased-users.ts';
import { Flusher } from './storage/flusher.ts';
import { Idempotency } from './storage/idempotency.ts';
import { IngestTurns } from './projects/ingest-turns.ts';
import { Keys } from './keys.ts';
import { Logins } from './accounts/logins.ts';
import { Members } from './accounts/members.ts';
import { OperatorKeys } from './operator-keys.ts';
import { Operator } from './operator/operator.ts';
import { Organizations } from './organizations.ts';
import { DEFAULT_PRICE, type Price } from './usage/price.ts';
import { SavedQuestions } from './projects/saved-questions.ts';
import { Projects } from './projects/projects.ts';
import { DEFAULT_SESSION_LIFETIME_MS, Sessions } from './accounts/sessions.ts';
import { Tokens } from './projects/tokens.ts';
import type { Actor, Changes, Organization, Project } from './types.ts';
import { Usage } from './usage/usage.ts';
import { SETTING, Vault } from './storage/vault.ts';
import type { OpenEngine } from './storage/engine.ts';
import { AppError, codeOf } from '../base/errors.ts';
import { randomBytes } from 'node:crypto';
import { makePrivate } from '../base/files/private-files.ts';
import { syncPath } from '../base/files/sync-path.ts';

/** File of the control database in the data folder. */
export const CONTROL_FILE = 'control.db';

export interface OpenOptions {
  /** Opens the database it is in, which nodes share; null or left out: a file of the data folder. */
  readonly engine?: OpenEngine | null;
  /** For a server: requests of one turn of the event loop share one check for other processes' changes. */
  readonly serves?: boolean;
  /** Clock, ms since the epoch. */
  readonly now?: () => number;
  /** WINDLASS_SECRET; null: the one in the data folder, created if missing. */
  readonly secret: string | null;
  /** How long sessions live even if used, ms; default: 90 days. */
  readonly sessionLifetime?: number;
  /** The price for bills; null: no bills; left out: the default price. */
  readonly price?: Price | null;
  /** Called with each audit entry once it is written. */
  readonly onAudit?: (entry: Audited) => void;
  /** Called when the clocks of this machine and of PostgreSQL turn out to be far apart, with how far: milliseconds. */
  readonly onApart?: (time: number) => void;
  /** Called when counters cannot be written in the background; they are retried every second. */
  readonly onError?: (error: unknown) => void;
}

/** What a first start created: the admin key can be read only now. */
export interface Defaults {
  readonly organization: Organization;
  readonly adminKey: string;
  readonly project: Project;
  readonly secretKey: string;
}

/**
 * Organizations, projects, keys, tokens, usage and audit trail, in `<data>/control.db` or PostgreSQL. Writes are on disk when they
 * resolve; counters and last uses follow within a second. Methods that name one thing throw AppError `not_found` if it is missing,
 * `find…` methods return null; bad values are AppError `bad_request`. Several processes may open it: each sees the others' changes
 * with its next call.
 */
export class ControlDatabase {
  readonly accounts: Accounts;
  readonly alerts: Alerts;
  readonly allowance: Allowance;
  readonly annotations: Annotations;
  /** Methods that take an actor write to it themselves. */
  readonly audit: Audit;
  readonly cohorts: Cohorts;
  readonly credentials: Credentials;
  readonly dashboards: Dashboards;
  readonly erasedUsers: ErasedUsers;
  readonly idempotency: Idempotency;
  readonly ingestTurns: IngestTurns;
  readonly logins: Logins;
  readonly members: Members;
  readonly operator: Operator;
  readonly operatorKeys: OperatorKeys;
  readonly organizations: Organizations;
  readonly projects: Projects;
  readonly savedQuestions: SavedQuestions;
  readonly sessions: Sessions;
  readonly sharedSalts: SharedSalts;
  readonly tokens: Tokens;
  readonly usage: Usage;
  readonly #connection: ControlConnection;
  readonly #vault: Vault;
  readonly #flusher: Flusher;

  private constructor(connection: ControlConnection, vault: Vault, options: OpenOptions) {
    const { onError = warn, sessionLifetime = DEFAULT_SESSION_LIFETIME_MS, price = DEFAULT_PRICE } = options;
    this.#connection = connection;
    this.#vault = vault;
    const flusher = (this.#flusher = new Flusher(() => this.#writeCounters(), onError));
    const audit = (this.audit = new Audit(connection, options.onAudit));
    const keys = new Keys(connection, vault);
    const usage = (this.usage = new Usage(connection, price, flusher));
    const accounts = (this.accounts = new Accounts(connection));
    const organizations = (this.organizations = new Organizations(connection, keys, audit));
    const members = (this.members = new Members({ connection, organizations, audit }));
    const projects = (this.projects = new Projects({ connection, keys, organizations, audit, usage, flusher }));
    const tokens = (this.tokens = new Tokens({ connection, projects, keys, audit, flusher }));
    this.alerts = new Alerts({ connection, projects, audit });
    this.allowance = new Allowance(connection, organizations, usage);
    const operatorKeys = (this.operatorKeys = new OperatorKeys(connection, audit));
    this.credentials = new Credentials({ connection, keys, operatorKeys, tokens, projects, flusher });
    const dashboards = (this.dashboards = new Dashboards({ connection, projects, audit }));
    this.annotations = new Annotations({ connection, projects, audit });
    this.cohorts = new Cohorts({ connection, projects, dashboards, audit });
    this.erasedUsers = new ErasedUsers(connection);
    this.idempotency = new Idempotency(connection, vault);
    this.ingestTurns = new IngestTurns(connection);
    this.logins = new Logins({ connection, accounts, members, organizations, audit });
    this.operator = new Operator({ connection, organizations, projects, keys, audit, price, flusher });
    this.savedQuestions = new SavedQuestions({ connection, projects, audit });
    this.sharedSalts = new SharedSalts(connection, vault);
    this.sessions = new Sessions(connection, sessionLifetime, flusher);
  }

  /** Opens, creates and migrates the database. Throws AppError if the secret is wrong or the place cannot be used. */
  static async open(dataFolder: string, options: OpenOptions): Promise<ControlDatabase> {
    const { engine: openShared = null, serves = false, now, onApart } = options;
    makeFolderOnDisk(dataFolder);
    const secret = options.secret ?? (openShared === null ? readOrCreateSecret(dataFolder) : noSecret());
    const file = join(dataFolder, CONTROL_FILE);
    const engine = openShared === null ? new SqliteEngine(file, serves) : await openShared({ now, onApart });
    const connection = new ControlConnection(engine, now);
    try {
      await connection.prepare();
      const vault = new Vault(secret);
      await vault.check(connection, options.secret === null ? join(dataFolder, SECRET_FILE) : SETTING);
      return new ControlDatabase(connection, vault, options);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Writes what is pending in memory and closes. */
  async close(): Promise<void> {
    this.#flusher.stop();
    try {
      await this.flush();
    } finally {
      await this.#connection.close();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** False: it has been silent for a while, and requests that need it are refused. */
  get answers(): boolean {
    return this.#connection.answers();
  }

  /** Fills an empty database: organization "Default" with "My project". Otherwise null. */
  ensureDefaults(by: Actor): Promise<Defaults | null> {
    return this.#connection.write(async () => {
      if (await this.organizations.exist()) return null;
      const { organization, adminKey } = await this.organizations.create('Default');
      const { project, secretKey } = await this.projects.create(organization.id, 'My project', by, { exempt: true });
      return { organization, adminKey, project, secretKey };
    });
  }

  /** Runs checks and changes as one: nobody changes anything in between, and what fails leaves nothing. */
  together<T>(act: () => Promise<T>): Promise<T> {
    return this.#connection.write(act);
  }

  /** A signing key, different for each purpose. The same for the same secret. */
  signingKey(purpose: string): string {
    return this.#vault.signingKey(purpose);
  }

  /** Keyed hash of an id in a project, as in the audit trail. */
  hashId(projectId: string, id: string): string {
    return this.#vault.hashUser(projectId, id);
  }

  /** Call before data of the user is exported or erased, and when that fails. The trail names users by a keyed hash. */
  async auditUser(
    action: 'user.export' | 'user.erase' | 'user.erase_failed',
    projectId: string,
    userId: string,
    by: Actor,
  ): Promise<void> {
    const { orgId } = await this.projects.get(projectId);
    const target = `${projectId}/user:${this.hashId(projectId, userId)}`;
    await this.#connection.write(() => this.audit.append(orgId, action, target, by));
  }

  /** @param changes What was selected, and how many events it had. */
  async auditEvents(
    action: 'events.delete' | 'events.delete_failed',
    projectId: string,
    changes: Changes,
    by: Actor,
  ): Promise<void> {
    const { orgId } = await this.projects.get(projectId);
    const target = projectId;
    await this.#connection.write(() => this.audit.appendChanges({ orgId, action, target, changes }, by));
  }

  /** Has `copy` fill an empty database that nodes share with all of this one. */
  async copyTo<T>(target: ControlDatabase, copy: (from: ControlConnection, to: ControlConnection) => T): Promise<T> {
    await this.flush();
    return copy(this.#connection, target.#connection);
  }

  /**
   * For the copy of a backup: what `former`, the database that it replaces, has revoked since stays revoked, and the keys and
   * tokens that it has of the same projects and organizations go on working.
   */
  takeRevocations(former: ControlDatabase): Promise<void> {
    return takeRevocations(former.#connection, this.#connection);
  }

  /** Copies the database as it is now into a new file. */
  async backup(file: string): Promise<void> {
    await this.flush();
    await this.#connection.backup(file);
  }

  /** Writes usage and last uses of tokens and sessions now instead of within a second. */
  flush(): Promise<void> {
    return this.#flusher.flush();
  }

  async #writeCounters(): Promise<void> {
    const batches = [this.usage, this.credentials, this.sessions].flatMap((part) => part.takeNews());
    for (const [nth, batch] of batches.entries()) {
      try {
        if (nth > 0) await setImmediate();
        await this.#connection.writeCounters(() => batch.write());
      } catch (error) {
        for (const left of batches.slice(nth)) left.putBack();
        throw error;
      }
    }
  }
}

function noSecret(): never {
  throw new AppError('bad_request', 'WINDLASS_SECRET must be set where WINDLASS_CONTROL is: all nodes need the same');
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}

/** Name of the file in the data folder that holds the secret if WINDLASS_SECRET is not set. */
export const SECRET_FILE = 'secret';

/** The secret in the data folder, created on the first call. Only its owner can read it. */
export function readOrCreateSecret(dataFolder: string): string {
  const file = join(dataFolder, SECRET_FILE);
  return readSecret(file) ?? createSecret(file);
}

function readSecret(file: string): string | null {
  let secret: string;
  try {
    secret = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  makePrivate(file);
  if (secret === '')
    throw new AppError('storage_unavailable', `${file} is empty`, { hints: ['restore it from a backup'] });
  return secret;
}

/** Written beside it and linked into place, so that another process sees a whole file or none, and the first one wins. */
function createSecret(file: string): string {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  syncPath(dirname(file));
  const secret = readSecret(file);
  if (secret === null) throw new Error(`${file} vanished while it was made`);
  return secret;
}
