import { randomBytes } from 'node:crypto';
import { type ControlConnection, CompiledOnce, given } from './storage/connection.ts';
import { hashKey, newKey, SECRET_BYTES } from './key-text.ts';
import type { Vault } from './storage/vault.ts';

export type KeyKind = 'public' | 'secret' | 'org_admin';

/** A key as found by its hash. */
export interface KeyRow {
  readonly kind: KeyKind;
  readonly projectId: string | null;
  readonly orgId: string | null;
  readonly expiresAt: number | null;
}

/** Keys of projects and organizations. Changes require the caller's transaction. */
export class Keys {
  readonly #vault: Vault;
  readonly #connection: ControlConnection;
  readonly #byHash: CompiledOnce<KeyRow>;

  constructor(connection: ControlConnection, vault: Vault) {
    this.#vault = vault;
    this.#connection = connection;
    this.#byHash = new CompiledOnce<KeyRow>(connection, (db) => {
      const keys = db.selectFrom('keys').where('hash', '=', given<Buffer>('hash'));
      return keys.select(['kind', 'project_id as projectId', 'org_id as orgId', 'expires_at as expiresAt']);
    });
  }

  find(hash: Buffer): Promise<KeyRow | undefined> {
    return this.#byHash.first({ hash });
  }

  async createPublic(projectId: string): Promise<string> {
    const key = newKey('pk_');
    await this.#insert(key, 'public', { projectId, plain: key });
    return key;
  }

  async createSecret(projectId: string): Promise<string> {
    const key = newKey('sk_');
    await this.#insert(key, 'secret', { projectId, sealed: this.#vault.seal(key, projectId) });
    return key;
  }

  /** Replaces a project's keys by those it had elsewhere. */
  async take(
    projectId: string,
    { public_key: plain, secret_key: secret }: { public_key: string; secret_key: string },
  ): Promise<void> {
    await this.#connection.db.deleteFrom('keys').where('project_id', '=', projectId).execute();
    await this.#insert(plain, 'public', { projectId, plain });
    await this.#insert(secret, 'secret', { projectId, sealed: this.#vault.seal(secret, projectId) });
  }

  /** A new secret key. The old one works for `graceMs` more, and earlier ones no longer than that. */
  async rotateSecret(projectId: string, graceMs: number): Promise<string> {
    const now = this.#connection.now();
    const { db } = this.#connection;
    const at = now + graceMs;
    const secret = db
      .updateTable('keys')
      .set({ expires_at: at })
      .where('project_id', '=', projectId)
      .where('kind', '=', 'secret');
    await secret.where((key) => key.or([key('expires_at', 'is', null), key('expires_at', '>', at)])).execute();
    await db.deleteFrom('keys').where('project_id', '=', projectId).where('expires_at', '<=', now).execute();
    return this.createSecret(projectId);
  }

  /** The key that hashes a project's ids for those who see no personal data; null: nobody has needed one yet. */
  async findHashKey(projectId: string): Promise<string | null> {
    const select = this.#connection.db.selectFrom('projects').select('hash_key').where('id', '=', projectId);
    const sealed = (await select.executeTakeFirst())?.hash_key ?? null;
    return sealed && this.#vault.open(sealed, hashKeyOf(projectId));
  }

  /** The same, made if there is none. */
  async needHashKey(projectId: string): Promise<void> {
    if ((await this.findHashKey(projectId)) === null)
      await this.takeHashKey(projectId, randomBytes(SECRET_BYTES).toString('hex'));
  }

  /** Gives a project the key that it had elsewhere, so that its hashes stay the same. */
  async takeHashKey(projectId: string, key: string): Promise<void> {
    const update = this.#connection.db.updateTable('projects').where('id', '=', projectId);
    await update.set({ hash_key: this.#vault.seal(key, hashKeyOf(projectId)) }).execute();
  }

  async replaceAdmin(orgId: string): Promise<string> {
    const key = newKey('ak_');
    await this.dropAdmin(orgId);
    await this.#insert(key, 'org_admin', { orgId });
    return key;
  }

  async secretKey(projectId: string): Promise<string> {
    const select = this.#connection.db.selectFrom('keys').select('sealed').where('project_id', '=', projectId);
    const found = await select.where('kind', '=', 'secret').where('expires_at', 'is', null).executeTakeFirst();
    if (found === undefined || found.sealed === null) throw new Error(`project ${projectId} has no current key`);
    return this.#vault.open(found.sealed, projectId);
  }

  /** Ends the organization's admin key; nothing happens if it has none. */
  async dropAdmin(orgId: string): Promise<void> {
    await this.#connection.db.deleteFrom('keys').where('org_id', '=', orgId).execute();
  }

  async #insert(key: string, kind: KeyKind, { projectId, orgId, plain, sealed }: NewKey): Promise<void> {
    const owner = { project_id: projectId ?? null, org_id: orgId ?? null };
    const row = { hash: hashKey(key), kind, ...owner, plain: plain ?? null, sealed: sealed ?? null };
    await this.#connection.db.insertInto('keys').values(row).execute();
  }
}

/** Whose it is, as the vault binds it. */
const hashKeyOf = (projectId: string): string => `hash key of ${projectId}`;

type NewKey = Partial<Pick<KeyRow, 'projectId' | 'orgId'>> & { readonly plain?: string; readonly sealed?: Buffer };
