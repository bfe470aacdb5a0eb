/** The salt of the day (UTC) that nodes of one PostgreSQL share, and the way each of them has it in memory. */
import { randomBytes } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import { monotonic } from '../../base/monotonic.ts';
import type { ControlConnection } from './connection.ts';
import type { Vault } from './vault.ts';
import { DAY_MS, utcDay } from '../../base/day.ts';

export interface TodaysSalt {
  readonly salt: Buffer;
  /** Milliseconds until the day is over. */
  readonly left: number;
}

/** One row, of the day that the database's clock shows; encrypted, since others may read its files and backups. */
export class SharedSalts {
  readonly #connection: ControlConnection;
  readonly #vault: Vault;
  readonly #time: RawBuilder<number>;

  /** `time`: the clock, ms since the epoch; the database's own. */
  constructor(connection: ControlConnection, vault: Vault, time: RawBuilder<number> = connection.time) {
    this.#connection = connection;
    this.#vault = vault;
    this.#time = time;
  }

  /** The same for all: whoever asks first makes it, and deletes those of earlier days. */
  today(): Promise<TodaysSalt> {
    return this.#connection.write(async () => {
      const { db } = this.#connection;
      const { now } = await db.selectNoFrom(this.#time.as('now')).executeTakeFirstOrThrow();
      const day = utcDay(now);
      await db.deleteFrom('daily_salts').where('day', '<', day).execute();
      const owner = `salt of ${day}`;
      const sealed = this.#vault.seal(randomBytes(32).toString('hex'), owner);
      const insert = db.insertInto('daily_salts').values({ day, sealed });
      await insert.onConflict((known) => known.doNothing()).execute();
      const kept = db.selectFrom('daily_salts').select('sealed').where('day', '=', day);
      const hex = this.#vault.open((await kept.executeTakeFirstOrThrow()).sealed, owner);
      return { salt: Buffer.from(hex, 'hex'), left: DAY_MS - (now % DAY_MS) };
    });
  }
}

interface Known extends TodaysSalt {
  /** By `monotonic()`. */
  readonly until: number;
}

/** As `DailySalt`, but for the moment after midnight in which it is not here yet. */
export class SharedSalt {
  readonly #today: () => Promise<TodaysSalt>;
  readonly #onTrouble: (error: unknown) => void;
  #known: Known | null = null;
  #asking: Promise<Uint8Array> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(today: () => Promise<TodaysSalt>, onTrouble: (error: unknown) => void) {
    this.#today = today;
    this.#onTrouble = onTrouble;
    this.#renew();
  }

  /** Today's. Rejects with AppError while the database is away and it is not in memory. */
  get salt(): Uint8Array | Promise<Uint8Array> {
    return this.#known !== null && monotonic() < this.#known.until ? this.#known.salt : this.#ask();
  }

  close(): void {
    this.#closed = true;
    this.#forget();
  }

  #ask(): Promise<Uint8Array> {
    return (this.#asking ??= this.#load().finally(() => (this.#asking = null)));
  }

  async #load(): Promise<Uint8Array> {
    const askedAt = monotonic();
    const today = await this.#today();
    this.#forget();
    if (this.#closed) return today.salt;
    this.#known = { ...today, until: askedAt + today.left }; // a little early: it is asked for again then
    this.#after(today.left);
    return today.salt;
  }

  /** Also where nobody asks for it: what is over is to be deleted. */
  #renew(): void {
    this.#ask().catch((error: unknown) => {
      if (this.#closed) return;
      this.#onTrouble(error);
      this.#after(60_000); // between two attempts at midnight
    });
  }

  #after(time: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#renew(), time).unref();
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#known?.salt.fill(0);
    this.#known = null;
  }
}
