import { sql, type Compilable, type CompiledQuery, type RawBuilder } from 'kysely';
import { whenHere, type Soon } from '../../base/soon.ts';
import type { ControlConnection } from './connection.ts';

/**
 * An id in a query with joins, `where('id', '=', theId(id))`: SQLite prepares such a statement anew for every other value, in case
 * that allows a better plan, unless the value is inside an expression. 9 µs instead of 46.
 */
export const theId = (id: string): RawBuilder<string> => sql<string>`cast(${id} as text)`;

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
  first(value: Value): Soon<Row | undefined> {
    const template = (this.#template ??= this.#build(this.#standIn).compile());
    const parameters = template.parameters.map((parameter) => (parameter === this.#standIn ? value : parameter));
    return whenHere(this.#connection.run<Row>({ ...template, parameters }), ([row]) => row);
  }
}
