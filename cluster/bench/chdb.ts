/** ClickHouse's engine in this process, so that its processor time can be read. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Printed } from '../lib/clickhouse/sql/statement.ts';
import { requirePeer, type Row } from '../../bench/peers/peer.ts';

interface Session {
  readonly connection: object;
  query(sql: string, format?: string): string;
  close(): void;
}
interface Native {
  InsertRawAsyncConnection(connection: object, sql: string, rows: Buffer, count: boolean): Promise<unknown>;
}

export interface InsertTarget {
  readonly name: string;
  readonly columns: readonly (readonly [name: string, type: string])[];
  readonly sent?: readonly (readonly [name: string, type: string])[];
}

export class Chdb {
  readonly #session: Session;
  readonly #native: Native;

  constructor(folder: string) {
    const { Session } = requirePeer('chdb') as { Session: new (folder: string) => Session };
    const loader = join(dirname(requirePeer.resolve('chdb')), 'dist', 'loader.js');
    this.#native = (createRequire(loader)(loader) as { loadNative(): Native }).loadNative();
    this.#session = new Session(folder);
    this.run('SET output_format_json_quote_64bit_integers = 0, precise_float_parsing = 1, join_use_nulls = 0');
  }

  run(sql: string): void {
    this.#session.query(sql);
  }

  /** The rows of a statement, and its processor time, milliseconds: that of all threads. */
  ask({ sql, params }: Printed): { readonly rows: readonly Row[]; readonly ms: number } {
    const values = Object.entries(params).map(([name, value]) => `param_${name} = ${literal(bound(value))}`);
    if (values.length > 0) this.run(`SET ${values.join(', ')}`);
    const before = process.cpuUsage();
    const text = this.#session.query(sql, 'JSONCompactEachRow');
    const { user, system } = process.cpuUsage(before);
    const rows = text.split('\n').flatMap((line): Row[] => (line === '' ? [] : [JSON.parse(line) as Row]));
    return { rows, ms: (user + system) / 1_000 };
  }

  /** @param rows Each an array as JSON, with a line break. */
  async insert({ name, columns, sent = [] }: InsertTarget, rows: readonly string[]): Promise<void> {
    if (rows.length === 0) return;
    const names = [...columns, ...sent].map(([column]) => `\`${column}\``).join(', ');
    const sql = `INSERT INTO ${name} (${names}) FORMAT JSONCompactEachRow\n`;
    await this.#native.InsertRawAsyncConnection(this.#session.connection, sql, Buffer.from(rows.join('')), false);
  }

  close(): void {
    this.#session.close();
  }
}

const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function bound(value: Printed['params'][string]): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return `[${value.map((one) => (typeof one === 'string' ? literal(one) : String(one))).join(', ')}]`;
}
