/** Requests that create something and may be sent again: it is created only once. */
import { DAY_MS } from '../../base/day.ts';
import { AppError } from '../../base/errors.ts';
import { hashKey } from '../key-text.ts';
import { type ControlConnection, countOf } from './connection.ts';
import type { Vault } from './vault.ts';

/** Keys kept of each who asks. */
const MAX_KEYS = 10_000;

export interface Keyed {
  /** Who asks: an organization, an operator key. */
  readonly owner: string;
  /** The sender's. */
  readonly key: string;
  /** What is requested: the same key with another request is a mistake. */
  readonly request: string;
}

export interface MadeAnswer {
  readonly status: number;
  /** JSON. */
  readonly body: string;
}

export class Idempotency {
  readonly #connection: ControlConnection;
  readonly #vault: Vault;

  constructor(connection: ControlConnection, vault: Vault) {
    this.#connection = connection;
    this.#vault = vault;
  }

  /**
   * Runs `make` and stores its answer in one transaction; a key of the last 24 hours gets its stored answer. An error of `make`
   * is not stored. Throws AppError `conflict` if the key came with another request, `limit_reached` for too many.
   */
  async once(
    { owner, key, request }: Keyed,
    make: () => Promise<MadeAnswer>,
  ): Promise<MadeAnswer & { readonly replayed: boolean }> {
    const connection = this.#connection;
    const [keyHash, requestHash] = [hashKey(key), hashKey(request)];
    return connection.write(async () => {
      const now = connection.now();
      const { db } = connection;
      const answers = db.selectFrom('idempotent_answers').select(['request', 'status', 'sealed']);
      const same = answers.where('owner', '=', owner).where('key', '=', keyHash);
      const known = await same.where('at', '>', now - DAY_MS).executeTakeFirst();
      if (known !== undefined) {
        if (!known.request.equals(requestHash))
          throw new AppError('conflict', 'This Idempotency-Key was used for a different request.', {
            hints: ['Use a new key for each thing you create, and reuse it only to repeat that request.'],
          });
        return { status: known.status, body: this.#vault.open(known.sealed, sealName(owner, keyHash)), replayed: true };
      }
      await this.#makeRoom(owner, now);
      const made = await make();
      const sealed = this.#vault.seal(made.body, sealName(owner, keyHash));
      const row = { owner, key: keyHash, request: requestHash, status: made.status, sealed, at: now };
      await db.insertInto('idempotent_answers').values(row).execute();
      return { ...made, replayed: false };
    });
  }

  async #makeRoom(owner: string, now: number): Promise<void> {
    const { db } = this.#connection;
    await db
      .deleteFrom('idempotent_answers')
      .where('at', '<=', now - DAY_MS)
      .execute();
    if ((await countOf(db.selectFrom('idempotent_answers').where('owner', '=', owner))) < MAX_KEYS) return;
    const most = MAX_KEYS.toLocaleString('en');
    throw new AppError('limit_reached', `${most} idempotency keys were used in 24 hours.`, {
      hints: ['Leave out the header for requests you do not repeat.'],
    });
  }
}

const sealName = (owner: string, key: Buffer): string => `${owner}/${key.toString('hex')}`;
