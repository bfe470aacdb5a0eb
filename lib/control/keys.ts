import type { ControlConnection } from './storage/connection.ts';
import { hashKey, newKey } from './key-text.ts';
import type { Vault } from './storage/vault.ts';

export type KeyKind = 'public' | 'secret' | 'org_admin';

/** A key as found by its hash. */
export interface KeyRow {
  readonly kind: KeyKind;
  readonly hash: Buffer;
  readonly projectId: string | null;
  readonly orgId: string | null;
  readonly expiresAt: number | null;
}

/** Keys of projects and organizations. Changes require the caller's transaction. */
export class Keys {
  readonly #vault: Vault;
  readonly #connection: ControlConnection;

  constructor(connection: ControlConnection, vault: Vault) {
    this.#vault = vault;
    this.#connection = connection;
  }

  find(hash: Buffer): KeyRow | undefined {
    const sql =
      'SELECT kind, hash, project_id AS projectId, org_id AS orgId, expires_at AS expiresAt FROM keys WHERE hash = ?';
    return this.#connection.row<KeyRow>(sql, hash);
  }

  createPublic(projectId: string): string {
    const key = newKey('pk_');
    this.#insert(key, 'public', { projectId, plain: key });
    return key;
  }

  createSecret(projectId: string): string {
    const key = newKey('sk_');
    this.#insert(key, 'secret', { projectId, sealed: this.#vault.seal(key, projectId) });
    return key;
  }

  /** Replaces a project's keys by those it had elsewhere. */
  take(projectId: string, { public_key: plain, secret_key: secret }: { public_key: string; secret_key: string }): void {
    this.#connection.run('DELETE FROM keys WHERE project_id = ?', projectId);
    this.#insert(plain, 'public', { projectId, plain });
    this.#insert(secret, 'secret', { projectId, sealed: this.#vault.seal(secret, projectId) });
  }

  /** A new secret key. The old one works for `graceMs` more, and earlier ones no longer than that. */
  rotateSecret(projectId: string, graceMs: number): string {
    const now = this.#connection.now();
    const retire =
      "UPDATE keys SET expires_at = min(coalesce(expires_at, @at), @at) WHERE project_id = @project AND kind = 'secret'";
    this.#connection.run(retire, { at: now + graceMs, project: projectId });
    this.#connection.run('DELETE FROM keys WHERE expires_at <= ? AND project_id = ?', now, projectId);
    return this.createSecret(projectId);
  }

  /** Replaces the admin key of an organization. */
  replaceAdmin(orgId: string): string {
    const key = newKey('ak_');
    this.dropAdmin(orgId);
    this.#insert(key, 'org_admin', { orgId });
    return key;
  }

  publicKey(projectId: string): string {
    const sql = `SELECT plain FROM keys WHERE ${CURRENT} 'public'`;
    return this.#connection.value<string>(sql, projectId) ?? missing(projectId);
  }

  secretKey(projectId: string): string {
    const sql = `SELECT sealed FROM keys WHERE ${CURRENT} 'secret'`;
    return this.#vault.open(this.#connection.value<Buffer>(sql, projectId) ?? missing(projectId), projectId);
  }

  /** The organization's admin key. */
  dropAdmin(orgId: string): void {
    this.#connection.run('DELETE FROM keys WHERE org_id = ?', orgId);
  }

  #insert(key: string, kind: KeyKind, { projectId, orgId, plain, sealed }: NewKey): void {
    const sql = 'INSERT INTO keys (hash, kind, project_id, org_id, plain, sealed) VALUES (?, ?, ?, ?, ?, ?)';
    const values = [projectId, orgId, plain, sealed].map((value) => value ?? null);
    this.#connection.run(sql, hashKey(key), kind, ...values);
  }
}

const CURRENT = 'project_id = ? AND expires_at IS NULL AND kind =';

type NewKey = Partial<Pick<KeyRow, 'projectId' | 'orgId'>> & { readonly plain?: string; readonly sealed?: Buffer };

function missing(projectId: string): never {
  throw new Error(`project ${projectId} has no current key`);
}
