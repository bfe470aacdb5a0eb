import type { Compilable, CompiledQuery } from 'kysely';
import type { ControlConnection } from './connection.ts';

/**
 * A query about one value, built and compiled with its first use: both take longer than SQLite takes to answer, and after a start
 * thousands of keys are looked up.
 */
export class CompiledOnce<Row, Value> {
  readonly #connection: ControlConnection;
  readonly #standIn: Value;
  readonly #build: (value: Value) => Compilable<Row>;
  #template: CompiledQuery<Row> | null = null;

  /** @param standIn Takes the value's place in the query; equal to nothing else in it. */
  constructor(connection: ControlConnection, standIn: Value, build: (value: Value) => Compilable<Row>) {
    this.#connection = connection;
    this.#standIn = standIn;
    this.#build = build;
  }

  /** The first row. */
  async first(value: Value): Promise<Row | undefined> {
    const template = (this.#template ??= this.#build(this.#standIn).compile());
    const parameters = template.parameters.map((parameter) => (parameter === this.#standIn ? value : parameter));
    const { rows } = await this.#connection.db.executeQuery<Row>({ ...template, parameters });
    return rows[0];
  }
}
