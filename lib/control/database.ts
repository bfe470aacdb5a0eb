import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Accounts } from './accounts.ts';
import { Allowance } from './allowance.ts';
import { Audit, type AuditFilter, type AuditPage } from './audit.ts';
import { Connection, storageError } from './connection.ts';
import { Credentials } from './credentials.ts';
import { Dashboards } from './dashboards.ts';
import { checkEmail } from './email.ts';
import { Flusher } from './flusher.ts';
import { Idempotency } from './idempotency.ts';
import { Keys } from './keys.ts';
import { LoginLinks, type Grant } from './login-links.ts';
import { Logins } from './logins.ts';
import { Members } from './members.ts';
import type { Defaults, OpenOptions } from './open-options.ts';
import { Operator } from './operator.ts';
import { Organizations, type OrganizationLimits } from './organizations.ts';
import { DEFAULT_PRICE } from './price.ts';
import { Projects } from './projects.ts';
import { readOrCreateSecret } from './secret-file.ts';
import { DEFAULT_SESSION_LIFETIME_MS, Sessions } from './sessions.ts';
import { Tokens, type NewToken } from './tokens.ts';
import type {
  Account,
  Actor,
  Credential,
  Identity,
  Member,
  Membership,
  Organization,
  Project,
  ProjectSettings,
  Role,
  Token,
  UsageMonth,
  UsageRow,
} from './types.ts';
import { Usage, type DayTotals } from './usage.ts';
import type { UsageRange } from './usage-range.ts';
import { Vault } from './vault.ts';

/** File of the control database in the data folder. */
export const CONTROL_FILE = 'control.db';

/**
 * Organizations, projects, keys, tokens, usage and audit trail, in `<data>/control.db`. Every method is synchronous and
 * takes well under a millisecond, but for writes, which are on disk when they return. Methods that name one thing throw
 * AppError `not_found` when it is not there, those called `find…` answer null; bad values are AppError `bad_request`.
 * Several processes may have it open: what one changes, the others see with their next call.
 */
export class ControlDatabase {
  /** Who is logged in. */
  readonly sessions: Sessions;
  /** What only the operator may do. */
  readonly operator: Operator;
  /** Stored dashboards of projects and of their members. */
  readonly dashboards: Dashboards;
  /** Answers to requests that may come twice. */
  readonly idempotency: Idempotency;
  readonly #connection: Connection;
  readonly #vault: Vault;
  readonly #audit: Audit;
  readonly #keys: Keys;
  readonly #organizations: Organizations;
  readonly #projects: Projects;
  readonly #tokens: Tokens;
  readonly #credentials: Credentials;
  readonly #usage: Usage;
  readonly #allowance: Allowance;
  readonly #accounts: Accounts;
  readonly #members: Members;
  readonly #links: LoginLinks;
  readonly #logins: Logins;
  readonly #flusher: Flusher;

  private constructor(connection: Connection, vault: Vault, options: OpenOptions) {
    const { onError = warn, sessionLifetime = DEFAULT_SESSION_LIFETIME_MS, price = DEFAULT_PRICE } = options;
    this.#connection = connection;
    this.#vault = vault;
    const audit = (this.#audit = new Audit(connection, options.onAudit));
    const keys = (this.#keys = new Keys(connection, vault));
    const organizations = (this.#organizations = new Organizations(connection, keys, audit));
    const projects = (this.#projects = new Projects({ connection, keys, organizations, audit }));
    const tokens = (this.#tokens = new Tokens({ connection, projects, audit }));
    this.#credentials = new Credentials({ connection, keys, tokens, projects });
    this.#usage = new Usage(connection, price);
    this.#allowance = new Allowance(connection, organizations, this.#usage);
    const accounts = (this.#accounts = new Accounts(connection));
    const members = (this.#members = new Members({ connection, organizations, audit }));
    const links = (this.#links = new LoginLinks(connection));
    this.#logins = new Logins({ connection, accounts, members, organizations, links, audit });
    const flush = (): void => this.flush();
    this.operator = new Operator({ connection, organizations, projects, keys, audit, price, flush });
    this.idempotency = new Idempotency(connection, vault);
    this.dashboards = new Dashboards({ connection, projects, audit });
    this.#flusher = new Flusher(flush, onError);
    this.sessions = new Sessions(connection, sessionLifetime, () => this.#flusher.schedule());
  }

  /** Opens, makes and migrates the database. Throws AppError when the secret is wrong or the folder cannot be used. */
  static open(dataFolder: string, options: OpenOptions): ControlDatabase {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    const secret = options.secret ?? readOrCreateSecret(dataFolder);
    const connection = new Connection(join(dataFolder, CONTROL_FILE), options);
    try {
      return new ControlDatabase(connection, new Vault(secret, connection), options);
    } catch (error) {
      connection.close();
      throw storageError(error);
    }
  }

  /** Writes what waits in memory and closes. */
  close(): void {
    this.#flusher.stop();
    try {
      this.flush();
    } finally {
      this.#connection.close();
    }
  }

  /** On an empty database: organization "Default" with "My project". Otherwise null. */
  ensureDefaults(by: Actor): Defaults | null {
    return this.#connection.write(() => {
      if (this.#organizations.any) return null;
      const { organization, adminKey } = this.#organizations.create('Default');
      const { project, secretKey } = this.#projects.create(organization.id, 'My project', by, true);
      return { organization, adminKey, project, secretKey };
    });
  }

  // Organizations

  /** The admin key (`ak_`) cannot be read again. */
  createOrganization(name: string): { organization: Organization; adminKey: string } {
    return this.#organizations.create(name);
  }

  organization(id: string): Organization {
    return this.#organizations.get(id);
  }

  findOrganization(id: string): Organization | null {
    return this.#organizations.find(id);
  }

  /** In order of creation. */
  organizations(): Organization[] {
    return this.#organizations.list();
  }

  /** Changes the limits that are given; null is no limit. */
  setLimits(orgId: string, changes: Partial<OrganizationLimits>): Organization {
    return this.#organizations.setLimits(orgId, changes);
  }

  /** A new admin key; the old one stops at once. */
  rotateAdminKey(orgId: string, by: Actor): string {
    return this.#organizations.rotateAdminKey(orgId, by);
  }

  /** Events that the organization may still store this UTC month, null: any number. Cheap: for every request. */
  remainingEvents(orgId: string): number | null {
    return this.#allowance.remaining(orgId);
  }

  // Accounts and members

  /** The account of a person that a provider has proven, made at its first login; its invitations are joined. */
  logIn(identity: Identity, by: { readonly ip: string | null }): Account {
    return this.#logins.logIn(identity, by.ip);
  }

  /** A link for the account of an address (made when there is none): once, within 10 minutes. `grant`: what it joins. */
  createLoginLink(email: string, grant: Grant | null = null): { token: string; expiresAt: number } {
    if (grant !== null) this.organization(grant.orgId);
    return this.#links.create({ email: checkEmail(email), grant });
  }

  /** null: unknown, used or expired. */
  redeemLoginLink(token: string, by: { readonly ip: string | null }): Account | null {
    return this.#logins.redeem(token, by.ip);
  }

  account(id: string): Account {
    return this.#accounts.get(id);
  }

  /** Whose name stands in `created_by`; null: it is no account's. */
  findAccountNamed(name: string): Account | null {
    return this.#accounts.named(name);
  }

  /** In the order of joining. */
  memberships(accountId: string): Membership[] {
    return this.#members.ofAccount(accountId);
  }

  roleIn(accountId: string, orgId: string): Role | null {
    return this.#members.role(accountId, orgId);
  }

  /** With the account as owner. Throws AppError `limit_reached` for who has made `most`. The admin key cannot be read again. */
  createOrganizationFor(
    accountId: string,
    name: string,
    most = Infinity,
  ): { organization: Organization; adminKey: string } {
    return this.#logins.createOrganization(accountId, name, most);
  }

  /** Members in the order of joining, then invited addresses. */
  members(orgId: string): Member[] {
    return this.#members.list(orgId);
  }

  /** Throws AppError `conflict` for who is a member or invited already. */
  invite(orgId: string, email: string, role: Role, by: Actor): Member {
    return this.#members.invite(orgId, email, role, by);
  }

  /** Of a member or an invitation. Throws AppError `bad_request` for the last owner. */
  changeRole(orgId: string, email: string, role: Role, by: Actor): Member {
    return this.#members.changeRole(orgId, email, role, by);
  }

  /** A member or an invitation. Throws AppError `bad_request` for the last owner. */
  removeMember(orgId: string, email: string, by: Actor): void {
    this.#members.remove(orgId, email, by);
  }

  /** Takes an account out of an organization by its own will. Throws AppError `bad_request` for the last owner. */
  leaveOrganization(orgId: string, accountId: string, by: Actor): void {
    this.#members.leave(orgId, accountId, by);
  }

  /** A key for signing, of its own for each purpose. The same for the same secret. */
  signingKey(purpose: string): string {
    return this.#vault.signingKey(purpose);
  }

  // Projects

  /** Throws AppError `limit_reached` when the organization has as many projects as it may have, unless the operator makes it. */
  createProject(orgId: string, name: string, by: Actor, exempt = false): { project: Project; secretKey: string } {
    return this.#projects.create(orgId, name, by, exempt);
  }

  project(id: string): Project {
    return this.#projects.get(id);
  }

  findProject(id: string): Project | null {
    return this.#projects.find(id);
  }

  /** Of one organization or of all, in order of creation. */
  projects(orgId?: string): Project[] {
    return this.#projects.list(orgId);
  }

  /** The current secret key (`sk_`) of a project. */
  secretKey(projectId: string): string {
    return this.#keys.secretKey(projectId);
  }

  /** Changes the settings that are given. */
  changeProject(id: string, changes: Partial<ProjectSettings>): Project {
    return this.#projects.change(id, changes);
  }

  /** A new secret key; the old one works for `graceMs` more. */
  rotateSecretKey(projectId: string, graceMs: number, by: Actor): { project: Project; secretKey: string } {
    return this.#projects.rotateSecretKey(projectId, graceMs, by);
  }

  /**
   * Takes the project with its keys and tokens away at once; its usage stays. The caller then drops its events and calls
   * `markPurged`; what a crash leaves undone is in `unpurgedProjects` at the next start.
   */
  deleteProject(id: string, by: Actor): void {
    this.flush();
    this.#projects.delete(id, by);
  }

  /** Ids of deleted projects whose events may still be on disk. */
  unpurgedProjects(): string[] {
    return this.#projects.unpurged();
  }

  markPurged(projectId: string): void {
    this.#connection.write(() => {
      this.#projects.purged(projectId);
      this.#usage.forgetBytes(projectId);
    });
  }

  // Tokens and keys

  /** The token itself (`key`, `aat_`) cannot be read again. */
  createToken(wanted: NewToken, by: Actor): { token: Token; key: string } {
    return this.#tokens.create(wanted, by);
  }

  findToken(id: string): Token | null {
    return this.#tokens.find(id);
  }

  /** Expired ones too, in order of creation. */
  tokens(projectId: string): Token[] {
    this.flush();
    return this.#tokens.list(projectId);
  }

  revokeToken(projectId: string, tokenId: string, by: Actor): void {
    this.#tokens.revoke(projectId, tokenId, by);
  }

  /** Who a key speaks for, null when it is unknown, revoked or expired. A few microseconds; notes the use of tokens. */
  findCredential(key: string): Credential | null {
    try {
      const credential = this.#credentials.find(key);
      if (credential?.kind === 'token') this.#flusher.schedule();
      return credential;
    } catch (error) {
      throw storageError(error); // every request comes here: it must know a bad disk from a bug
    }
  }

  // Usage

  /** Sets the day's counters of a project, within a second on disk. */
  recordUsage(totals: DayTotals): void {
    this.#usage.record(totals);
    this.#flusher.schedule();
  }

  /** Adds queries and the milliseconds they took to a day (YYYY-MM-DD, UTC). */
  addQueries(projectId: string, date: string, count: number, ms: number): void {
    this.#usage.addQueries(projectId, date, count, ms);
    this.#flusher.schedule();
  }

  /** A row for every day of the range. For ranges of requests see `parseUsageRange`. */
  usage(projectId: string, range: UsageRange): UsageRow[] {
    this.flush();
    return this.#usage.ofProject(projectId, range);
  }

  /** Sums over the projects of an organization, deleted ones included; `months` are whole months. */
  orgUsage(orgId: string, range: UsageRange): { days: UsageRow[]; months: UsageMonth[] } {
    this.flush();
    return this.#usage.ofOrg(orgId, range);
  }

  // Audit trail. Methods that take an actor write it themselves.

  /** To be called before data of the user leaves or is erased. Users stand in the trail as a keyed hash. */
  auditUser(action: 'user.export' | 'user.erase', projectId: string, userId: string, by: Actor): void {
    const { orgId } = this.project(projectId);
    const target = `${projectId}/user:${this.#vault.hashUser(projectId, userId)}`;
    this.#connection.write(() => this.#audit.append(orgId, action, target, by));
  }

  /** Keyed hash of an id of a project, as in the audit trail. */
  hashId(projectId: string, id: string): string {
    return this.#vault.hashUser(projectId, id);
  }

  /** Newest first. */
  audit(orgId: string, filter: AuditFilter = {}): AuditPage {
    return this.#audit.page(orgId, filter);
  }

  /** Copies the database as it is at this moment into a new file. */
  backup(file: string): Promise<void> {
    this.flush();
    return this.#connection.backup(file);
  }

  /** Writes usage and last uses of tokens and sessions now rather than within a second. */
  flush(): void {
    if (!this.#usage.hasNews && !this.#credentials.hasUses && !this.sessions.hasUses) return;
    this.#connection.writeCounters(() => {
      this.#usage.write();
      this.#credentials.writeUses();
      this.sessions.writeUses();
    });
    this.#usage.forgetNews();
    this.#credentials.forgetUses();
    this.sessions.forgetUses();
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
