/** Hears what other nodes have changed. */
import { Client, type ClientConfig } from 'pg';
import { monotonic } from '../../../lib/seam.ts';

/** By PostgreSQL's clock, ms since the epoch. */
export const TIME = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** How old the last answer may be, in milliseconds: what was read before may be out of date then. */
const SILENCE_MS = 900;
/** What PostgreSQL says where it takes no changes: a standby, or a primary that another has replaced. */
export const READ_ONLY = '25006';
/** How old the last answer may be where PostgreSQL is only slow, milliseconds. */
const LOST_MS = 5_000;

const ASKED = `SELECT current_setting('transaction_read_only') AS mode, ${TIME} AS time`;

export interface Hearing {
  /** Called for each change of anybody, and when some may have been missed. */
  readonly heard: () => void;
  /** Called with each answer: how far the clocks of PostgreSQL and of this machine are apart at least, milliseconds. */
  readonly apart: (time: number) => void;
  /** This machine's clock, ms since the epoch. */
  readonly now: () => number;
}

export class PostgresListener {
  readonly #config: ClientConfig;
  readonly #channel: string;
  readonly #hearing: Hearing;
  #client: Client | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** When the last question was asked that got an answer: all changes before it were heard. */
  #answered = -Infinity;
  #closed = false;

  constructor(config: ClientConfig, channel: string, hearing: Hearing) {
    this.#config = config;
    this.#channel = channel;
    this.#hearing = hearing;
  }

  /** Resolves when changes are heard. Rejects if the database cannot be reached. */
  async start(): Promise<void> {
    await this.#connect(LOST_MS);
    this.#plan();
  }

  /** Whether all changes of the last second were heard. */
  get hears(): boolean {
    return monotonic() - this.#answered < SILENCE_MS;
  }

  /** Whether PostgreSQL has not answered for longer than it may take. */
  get isLost(): boolean {
    return monotonic() - this.#answered > LOST_MS;
  }

  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#drop();
  }

  #plan(): void {
    // Between two questions whether the connection still lives, and until the next attempt to connect.
    if (!this.#closed) this.#timer = setTimeout(() => void this.#beat(), 300).unref();
  }

  /** Never rejects: as long as nothing is heard, nothing is remembered. */
  async #beat(): Promise<void> {
    try {
      if (this.#client === null) await this.#connect();
      else await this.#ask(this.#client);
    } catch {
      this.#drop(); // `hears` says so
    }
    this.#plan();
  }

  async #connect(patience = SILENCE_MS): Promise<void> {
    const client = new Client({ ...this.#config, connectionTimeoutMillis: patience, query_timeout: patience });
    client.on('notification', this.#hearing.heard);
    client.on('error', () => this.#client === client && this.#drop());
    this.#client = client;
    await client.connect();
    await client.query(`LISTEN "${this.#channel}"`);
    await this.#ask(client);
    this.#hearing.heard();
  }

  async #ask(client: Client): Promise<void> {
    const { now, apart } = this.#hearing;
    const [asked, askedAt] = [monotonic(), now()];
    const { rows } = await client.query<{ mode: string; time: number }>(ASKED);
    apart(timeBetween(rows[0]!.time, [askedAt, now()]));
    // Others make their changes elsewhere, where the address may lead by now.
    if (rows[0]!.mode === 'on') throw Object.assign(new Error('it is read-only'), { code: READ_ONLY });
    this.#answered = asked;
  }

  /** Not by saying so: nobody may be there to hear it. */
  #drop(): void {
    const client = this.#client;
    this.#client = null;
    client?.connection.stream.destroy();
  }
}

/** How far a clock is at least from another by which it was asked and answered at these times. */
export function timeBetween(time: number, [asked, answered]: readonly [asked: number, answered: number]): number {
  return Math.max(asked - time, time - answered);
}
