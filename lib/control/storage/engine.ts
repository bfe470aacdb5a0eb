import type { CompiledQuery, Dialect, Kysely, RawBuilder } from 'kysely';
import type { ControlTables } from './tables.ts';

export type Queries = Kysely<ControlTables>;

/** `counters` come again: the last ones may be lost in a power cut, and nobody is told of them. */
export type Change = 'change' | 'counters';

/** What differs between the databases that can hold the control database. Queries reject with AppErrors for what an operator can fix. */
export interface Engine {
  readonly dialect: Dialect;
  /** The database's own clock, ms since the epoch: nodes may have different ones. */
  readonly time: RawBuilder<number>;
  /** Makes the tables, or brings them up to date. Throws AppError for those of a newer release, and a database of no use. */
  prepare(db: Queries, now: () => number): Promise<void>;
  /** Resolves when it is the caller's turn to change something; the function ends the turn. Rejects with AppError if it takes too long. */
  turn(change: Change): Promise<() => void>;
  /** `db` is one connection, which nobody else uses until the transaction ends. */
  begin(db: Queries, change: Change): Promise<void>;
  commit(db: Queries, change: Change): Promise<void>;
  rollback(db: Queries, change: Change): Promise<void>;
  /** The rows of a query. `db`: whose transaction it belongs to. */
  run<R>(db: Queries, query: CompiledQuery<R>): Promise<readonly R[]>;
  /** False: it has been silent for a while, and requests that need it are refused. */
  answers(): boolean;
  /** A number that is another one whenever anything but counters may have changed, here or elsewhere. */
  epoch(): number;
  /** Copies the database as it is now into a new file; `db` as above. */
  backup(db: Queries, file: string): Promise<void>;
  close(): Promise<void>;
}

export interface EngineOptions {
  /** This machine's clock, ms since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Called when the clocks turn out to be too far apart, with how far: milliseconds. */
  readonly onApart?: ((time: number) => void) | undefined;
}

/** Opens a database that several nodes share. Rejects with AppError if it cannot be reached or used. */
export type OpenEngine = (options: EngineOptions) => Promise<Engine>;
