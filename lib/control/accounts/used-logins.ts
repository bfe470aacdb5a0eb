import { hashKey } from '../key-text.ts';
import type { ControlConnection } from '../storage/connection.ts';

/** Logins that providers have answered, until their tickets expire: no node takes one twice. */
export class UsedLogins {
  readonly #connection: ControlConnection;

  constructor(connection: ControlConnection) {
    this.#connection = connection;
  }

  /** False: it is used already. `state` names it; `expiresAt`: when nobody can use it any more, ms since the epoch. */
  use(state: string, expiresAt: number): Promise<boolean> {
    return this.#connection.write(async () => {
      const { db, now } = this.#connection;
      await db.deleteFrom('used_logins').where('expires_at', '<=', now()).execute();
      const insert = db.insertInto('used_logins').values({ state: hashKey(state), expires_at: expiresAt });
      const { numInsertedOrUpdatedRows } = await insert.onConflict((row) => row.doNothing()).executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    });
  }
}
