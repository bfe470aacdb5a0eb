import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Accounts } from './accounts/accounts.ts';
import { Allowance } from './usage/allowance.ts';
import { Audit } from './audit.ts';
import { ControlConnection, storageError } from './storage/connection.ts';
import { Credentials } from './projects/credentials.ts';
import { Dashboards } from './projects/dashboards.ts';
import { Flusher } from './storage/flusher.ts';
import { Idempotency } from './storage/idempotency.ts';
import { Keys } from './keys.ts';
import { LoginLinks } from './accounts/login-links.ts';
import { Logins } from './accounts/logins.ts';
import { Members } from './accounts/members.ts';
import type { Defaults, OpenOptions } from './open-options.ts';
import { Operator } from './operator/operator.ts';
import { Organizations } from './organizations.ts';
import { DEFAULT_PRICE } from './usage/price.ts';
import { Projects } from './projects/projects.ts';
import { readOrCreateSecret } from './storage/secret-file.ts';
import { DEFAULT_SESSION_LIFETIME_MS, Sessions } from './accounts/sessions.ts';
import { Tokens } from './projects/tokens.ts';
import type { Actor } from './types.ts';
import { Usage } from './usage/usage.ts';
import { Vault } from './storage/vault.ts';

/** File of the control database in the data folder. */
export const CONTROL_FILE = 'control.db';

/**
 * Organizations, projects, keys, tokens, usage and audit trail, in `<data>/control.db`. Every method of its parts is synchronous
 * and takes well under a millisecond, except writes, which are on disk when they return; counters and last uses follow within a
 * second. Methods that name one thing throw AppError `not_found` if it is missing, `find…` methods return null; bad values are
 * AppError `bad_request`. Several processes may open it: each sees the others' changes with its next call.
 */
export class ControlDatabase {
  readonly accounts: Accounts;
  readonly allowance: Allowance;
  /** Methods that take an actor write to it themselves. */
  readonly audit: Audit;
  readonly credentials: Credentials;
  readonly dashboards: Dashboards;
  readonly idempotency: Idempotency;
  readonly logins: Logins;
  readonly members: Members;
  /** What only the operator may do. */
  readonly operator: Operator;
  readonly organizations: Organizations;
  readonly projects: Projects;
  readonly sessions: Sessions;
  readonly tokens: Tokens;
  readonly usage: Usage;
  readonly #connection: ControlConnection;
  readonly #vault: Vault;
  readonly #flusher: Flusher;

  private constructor(connection: ControlConnection, vault: Vault, options: OpenOptions) {
    const { onError = warn, sessionLifetime = DEFAULT_SESSION_LIFETIME_MS, price = DEFAULT_PRICE } = options;
    this.#connection = connection;
    this.#vault = vault;
    const flusher = (this.#flusher = new Flusher(() => this.flush(), onError));
    const audit = (this.audit = new Audit(connection, options.onAudit));
    const keys = new Keys(connection, vault);
    const links = new LoginLinks(connection);
    const usage = (this.usage = new Usage(connection, price, flusher));
    const accounts = (this.accounts = new Accounts(connection));
    const organizations = (this.organizations = new Organizations(connection, keys, audit));
    const members = (this.members = new Members({ connection, organizations, audit }));
    const projects = (this.projects = new Projects({ connection, keys, organizations, audit, usage, flusher }));
    const tokens = (this.tokens = new Tokens({ connection, projects, audit, flusher }));
    this.allowance = new Allowance(connection, organizations, usage);
    this.credentials = new Credentials({ connection, keys, tokens, projects, flusher });
    this.dashboards = new Dashboards({ connection, projects, audit });
    this.idempotency = new Idempotency(connection, vault);
    this.logins = new Logins({ connection, accounts, members, organizations, links, audit });
    this.operator = new Operator({ connection, organizations, projects, keys, audit, price, flusher });
    this.sessions = new Sessions(connection, sessionLifetime, () => flusher.schedule());
  }

  /** Opens, creates and migrates the database. Throws AppError if the secret is wrong or the folder cannot be used. */
  static open(dataFolder: string, options: OpenOptions): ControlDatabase {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    const secret = options.secret ?? readOrCreateSecret(dataFolder);
    const connection = new ControlConnection(join(dataFolder, CONTROL_FILE), options);
    try {
      return new ControlDatabase(connection, new Vault(secret, connection), options);
    } catch (error) {
      connection.close();
      throw storageError(error);
    }
  }

  /** Writes what is pending in memory and closes. */
  close(): void {
    this.#flusher.stop();
    try {
      this.flush();
    } finally {
      this.#connection.close();
    }
  }

  /** Fills an empty database: organization "Default" with "My project". Otherwise null. */
  ensureDefaults(by: Actor): Defaults | null {
    return this.#connection.write(() => {
      if (this.organizations.any) return null;
      const { organization, adminKey } = this.organizations.create('Default');
      const { project, secretKey } = this.projects.create(organization.id, 'My project', by, true);
      return { organization, adminKey, project, secretKey };
    });
  }

  /** A signing key, different for each purpose. The same for the same secret. */
  signingKey(purpose: string): string {
    return this.#vault.signingKey(purpose);
  }

  /** Keyed hash of an id in a project, as in the audit trail. */
  hashId(projectId: string, id: string): string {
    return this.#vault.hashUser(projectId, id);
  }

  /** Call before data of the user is exported or erased. The trail names users by a keyed hash. */
  auditUser(action: 'user.export' | 'user.erase', projectId: string, userId: string, by: Actor): void {
    const { orgId } = this.projects.get(projectId);
    const target = `${projectId}/user:${this.hashId(projectId, userId)}`;
    this.#connection.write(() => this.audit.append(orgId, action, target, by));
  }

  /** Copies the database as it is now into a new file. */
  backup(file: string): Promise<void> {
    this.flush();
    return this.#connection.backup(file);
  }

  /** Writes usage and last uses of tokens and sessions now instead of within a second. */
  flush(): void {
    if (!this.usage.hasNews && !this.credentials.hasUses && !this.sessions.hasUses) return;
    this.#connection.writeCounters(() => {
      this.usage.write();
      this.credentials.writeUses();
      this.sessions.writeUses();
    });
    this.usage.forgetNews();
    this.credentials.forgetUses();
    this.sessions.forgetUses();
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
