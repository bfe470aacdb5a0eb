import { AppError } from '../base/errors.ts';
import type { Audit } from './audit.ts';
import { hashKey, newId, newKey, shownPrefix } from './key-text.ts';
import { checkName, notFound } from './names.ts';
import { type ControlConnection, countOf } from './storage/connection.ts';
import type { Actor } from './types.ts';

/** In the audit trail, in place of an organization: what concerns the whole host. */
export const HOST_AUDIT = 'host';

const MAX_OPERATOR_KEYS = 100;

export interface OperatorKey {
  readonly id: string;
  readonly name: string;
  /** The part of the key that may be shown. */
  readonly prefix: string;
  /** Milliseconds since the epoch, as all times. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** null: never. */
  readonly lastUsedAt: number | null;
}

interface Wanted {
  readonly name: string;
  readonly lifetimeMs: number;
}

/** Keys of the operator API (`op_`). They do what `wl admin` does; only their hashes are stored. */
export class OperatorKeys {
  readonly #connection: ControlConnection;
  readonly #audit: Audit;

  constructor(connection: ControlConnection, audit: Audit) {
    this.#connection = connection;
    this.#audit = audit;
  }

  /** `key`: readable only now. Throws AppError `bad_request` for a name that is none, `limit_reached` for too many keys. */
  create({ name, lifetimeMs }: Wanted, by: Actor): Promise<OperatorKey & { readonly key: string }> {
    const checked = checkName(name, 'operator key');
    return this.#connection.write(async () => {
      const { db, now } = this.#connection;
      if ((await countOf(db.selectFrom('operator_keys'))) >= MAX_OPERATOR_KEYS)
        throw new AppError('limit_reached', `a host may have ${MAX_OPERATOR_KEYS} operator keys`, {
          hints: ['revoke keys that have expired or are unused: `wl admin operator-key list` shows them'],
        });
      const [id, key] = [newId('opk_'), newKey('op_')];
      const times = { created_at: now(), expires_at: now() + lifetimeMs };
      const row = { id, name: checked, hash: hashKey(key), prefix: shownPrefix(key), ...times };
      await db.insertInto('operator_keys').values(row).execute();
      await this.#audit.append(HOST_AUDIT, 'operator_key.create', id, by);
      return { ...(await this.#get(id)), key };
    });
  }

  /** Expired ones too, in order of creation. */
  list(): Promise<OperatorKey[]> {
    return this.#select().orderBy('created_at').orderBy('rowid').execute();
  }

  /** It stops working at once. Throws AppError `not_found`. */
  async revoke(id: string, by: Actor): Promise<OperatorKey> {
    return this.#connection.write(async () => {
      const key = await this.#get(id);
      await this.#connection.db.deleteFrom('operator_keys').where('id', '=', id).execute();
      await this.#audit.append(HOST_AUDIT, 'operator_key.revoke', id, by);
      return key;
    });
  }

  async findByHash(hash: Buffer): Promise<OperatorKey | null> {
    return (await this.#select().where('hash', '=', hash).executeTakeFirst()) ?? null;
  }

  /** Inside a transaction of the caller. */
  async noteUse(id: string, at: number): Promise<void> {
    await this.#connection.db.updateTable('operator_keys').set({ last_used_at: at }).where('id', '=', id).execute();
  }

  async #get(id: string): Promise<OperatorKey> {
    const hint = '`wl admin operator-key list` shows them';
    return (await this.#select().where('id', '=', id).executeTakeFirst()) ?? notFound(`operator key "${id}"`, hint);
  }

  #select() {
    const keys = this.#connection.db.selectFrom('operator_keys');
    const times = ['created_at as createdAt', 'expires_at as expiresAt', 'last_used_at as lastUsedAt'] as const;
    return keys.select(['id', 'name', 'prefix', ...times]);
  }
}
