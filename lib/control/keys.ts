import type Database from 'better-sqlite3';
import type { ControlConnection } from './storage/connection.ts';
import { hashKey, newKey } from './key-text.ts';
import type { Vault } from './storage/vault.ts';

export type KeyKind = 'public' | 'secret' | 'org_admin';

/** A key as it is found by its hash. */
export interface KeyRow {
  readonly kind: KeyKind;
  readonly hash: Buffer;
  readonly projectId: string | null;
  readonly orgId: string | null;
  readonly expiresAt: number | null;
}

type NewKey = [
  hash: Buffer,
  kind: KeyKind,
  project: string | null,
  org: string | null,
  plain: string | null,
  sealed: Buffer | null,
];

/** Keys of projects and organizations. Changes are to be made inside a transaction of the caller. */
export class Keys {
  readonly #vault: Vault;
  readonly #now: () => number;
  readonly #insert: Database.Statement<NewKey>;
  readonly #find: Database.Statement<[Buffer], KeyRow>;
  readonly #publicKey: Database.Statement<[string], string>;
  readonly #sealedKey: Database.Statement<[string], Buffer>;
  readonly #retire: Database.Statement<[{ at: number; project: string }]>;
  readonly #sweep: Database.Statement<[now: number, project: string]>;
  readonly #dropOrgKey: Database.Statement<[org: string]>;
  readonly #dropProjectKeys: Database.Statement<[project: string]>;

  constructor(connection: ControlConnection, vault: Vault) {
    const { db } = connection;
    this.#vault = vault;
    this.#now = connection.now;
    this.#insert = db.prepare(
      'INSERT INTO keys (hash, kind, project_id, org_id, plain, sealed) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#find = db.prepare(
      'SELECT kind, hash, project_id AS projectId, org_id AS orgId, expires_at AS expiresAt FROM keys WHERE hash = ?',
    );
    const current = 'project_id = ? AND expires_at IS NULL AND kind =';
    this.#publicKey = db.prepare<[string], string>(`SELECT plain FROM keys WHERE ${current} 'public'`).pluck();
    this.#sealedKey = db.prepare<[string], Buffer>(`SELECT sealed FROM keys WHERE ${current} 'secret'`).pluck();
    this.#retire = db.prepare(
      "UPDATE keys SET expires_at = min(coalesce(expires_at, @at), @at) WHERE project_id = @project AND kind = 'secret'",
    );
    this.#sweep = db.prepare('DELETE FROM keys WHERE expires_at <= ? AND project_id = ?');
    this.#dropOrgKey = db.prepare('DELETE FROM keys WHERE org_id = ?');
    this.#dropProjectKeys = db.prepare('DELETE FROM keys WHERE project_id = ?');
  }

  find(hash: Buffer): KeyRow | undefined {
    return this.#find.get(hash);
  }

  createPublic(projectId: string): string {
    const key = newKey('pk_');
    this.#insert.run(hashKey(key), 'public', projectId, null, key, null);
    return key;
  }

  createSecret(projectId: string): string {
    const key = newKey('sk_');
    this.#insert.run(hashKey(key), 'secret', projectId, null, null, this.#vault.seal(key, projectId));
    return key;
  }

  /** Keys of a project that came from elsewhere take the place of those that it has. */
  take(projectId: string, { public_key: plain, secret_key: secret }: { public_key: string; secret_key: string }): void {
    this.#dropProjectKeys.run(projectId);
    this.#insert.run(hashKey(plain), 'public', projectId, null, plain, null);
    this.#insert.run(hashKey(secret), 'secret', projectId, null, null, this.#vault.seal(secret, projectId));
  }

  /** A new secret key. The old one works for `graceMs` more, and those from before for no longer than that. */
  rotateSecret(projectId: string, graceMs: number): string {
    const now = this.#now();
    this.#retire.run({ at: now + graceMs, project: projectId });
    this.#sweep.run(now, projectId);
    return this.createSecret(projectId);
  }

  /** The admin key of an organization, in the place of the one before. */
  replaceAdmin(orgId: string): string {
    const key = newKey('ak_');
    this.#dropOrgKey.run(orgId);
    this.#insert.run(hashKey(key), 'org_admin', null, orgId, null, null);
    return key;
  }

  publicKey(projectId: string): string {
    return this.#publicKey.get(projectId) ?? missing(projectId);
  }

  secretKey(projectId: string): string {
    return this.#vault.open(this.#sealedKey.get(projectId) ?? missing(projectId), projectId);
  }

  /** The organization's admin key. */
  dropAdmin(orgId: string): void {
    this.#dropOrgKey.run(orgId);
  }
}

function missing(projectId: string): never {
  throw new Error(`project ${projectId} has no current key`);
}
