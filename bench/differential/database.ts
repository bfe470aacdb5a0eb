/** A database's side: the same events as a table `e`, with the person of each. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPeer, type PeerName, type PeerProcess, type Row } from '../peers/peer.ts';
import { DIALECTS, quoted } from './dialect.ts';
import type { Question } from './question.ts';
import type { World } from './world.ts';

const TEXTS = ['event_type', 'user_id', 'device_id', 'session_id', 'insert_id', 'browser', 'path', 'choice_key', 'variant_key'] as const; // prettier-ignore
/** An event's person: the user, else the user its device is bound to, else the device. The first event of an insert id counts. */
const PERSON = 'coalesce(a.user_id, b.user_id, a.device_id) AS person';

const CREATE: Readonly<Record<PeerName, (events: string, bindings: string) => readonly string[]>> = {
  duckdb: (events, bindings) => [
    `CREATE OR REPLACE TABLE arrived AS FROM read_json(${events}, format = 'newline_delimited', columns = {arrival: 'BIGINT', t: 'BIGINT', n: 'DOUBLE', ${TEXTS.map((name) => `${name}: 'VARCHAR'`).join(', ')}})`,
    `CREATE OR REPLACE TABLE bindings AS SELECT device_id, arg_max(user_id, seq) AS user_id FROM read_json(${bindings}, format = 'newline_delimited', columns = {seq: 'BIGINT', device_id: 'VARCHAR', user_id: 'VARCHAR'}) GROUP BY device_id`,
    `CREATE OR REPLACE TABLE e AS SELECT a.*, ${PERSON} FROM (SELECT * FROM arrived QUALIFY row_number() OVER (PARTITION BY insert_id ORDER BY arrival) = 1) AS a LEFT JOIN bindings AS b ON a.device_id = b.device_id`,
  ],
  clickhouse: (events, bindings) => [
    ...['arrived', 'bindings', 'e'].map((table) => `DROP TABLE IF EXISTS ${table}`),
    `CREATE TABLE arrived (arrival Int64, t Int64, n Nullable(Float64), ${TEXTS.map((name) => `${name} Nullable(String)`).join(', ')}) ENGINE = Memory`,
    `INSERT INTO arrived SELECT * FROM file(${events}, 'JSONEachRow', 'arrival Int64, t Int64, n Nullable(Float64), ${TEXTS.map((name) => `${name} Nullable(String)`).join(', ')}')`,
    `CREATE TABLE bindings ENGINE = Memory AS SELECT device_id, argMax(user_id, seq) AS user_id FROM file(${bindings}, 'JSONEachRow', 'seq Int64, device_id Nullable(String), user_id Nullable(String)') GROUP BY device_id`,
    `CREATE TABLE e ENGINE = Memory AS SELECT a.*, ${PERSON} FROM (SELECT * FROM arrived ORDER BY arrival LIMIT 1 BY insert_id) AS a LEFT JOIN bindings AS b ON a.device_id = b.device_id SETTINGS join_use_nulls = 1`,
  ],
};

export class Database {
  readonly name: PeerName;
  readonly #folder: string;
  readonly #peer: PeerProcess;

  private constructor(name: PeerName, folder: string, peer: PeerProcess) {
    this.name = name;
    this.#folder = folder;
    this.#peer = peer;
  }

  static async open(name: PeerName, folder: string): Promise<Database> {
    return new Database(name, folder, await openPeer(name, folder, 2));
  }

  /** Replaces the previous world. */
  async load(world: World): Promise<void> {
    const events = world.flatMap((request) => (request.kind === 'track' ? request.events : []));
    const bindings = world.filter((request) => request.kind === 'identify');
    const eventFile = this.#write('events', events.map(({ event_properties, time, ...event }, arrival) => ({ arrival, t: time, n: null, ...event, ...event_properties }))); // prettier-ignore
    // An empty file has no columns, so there is always a binding of nobody.
    const nobody = { seq: -1, device_id: '', user_id: '' };
    const bindingFile = this.#write('bindings', [nobody, ...bindings.map(({ device_id, user_id }, seq) => ({ seq, device_id, user_id }))]); // prettier-ignore
    await this.#peer.request({ kind: 'run', statements: [...CREATE[this.name](eventFile, bindingFile)] });
  }

  async ask(question: Question): Promise<readonly Row[]> {
    const settings = this.name === 'clickhouse' ? ' SETTINGS join_use_nulls = 1' : '';
    const statement = `${question.sql(DIALECTS[this.name])}${settings}`;
    return (await this.#peer.request({ kind: 'ask', statement })).rows;
  }

  close(): Promise<void> {
    return this.#peer.close();
  }

  /** Returns the file's name as a text in SQL. */
  #write(name: string, rows: readonly object[]): string {
    const file = join(this.#folder, `${name}.ndjson`);
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    return quoted(file);
  }
}
