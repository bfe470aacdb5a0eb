/** DuckDB in process: one database file, `threads` threads. */
import { join } from 'node:path';
import { requirePeer, type Cell, type Peer, type Row } from './peer.ts';

/** The part of @duckdb/node-api used here. */
interface DuckDbApi {
  readonly DuckDBInstance: {
    create(path: string, options: Readonly<Record<string, string>>): Promise<{ connect(): Promise<Connection> }>;
  };
}
interface Connection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRowsJS(): unknown[][] }>;
  closeSync(): void;
}

export async function openDuckDb(folder: string, threads: number): Promise<Peer> {
  const api: DuckDbApi = requirePeer('@duckdb/node-api');
  const instance = await api.DuckDBInstance.create(join(folder, 'bench.duckdb'), { threads: String(threads) });
  const connection = await instance.connect();
  return {
    run: async (statement) => {
      await connection.run(statement);
    },
    ask: async (statement): Promise<Row[]> => {
      const reader = await connection.runAndReadAll(statement);
      return reader.getRowsJS().map((row) => row.map(cell));
    },
    close: () => connection.closeSync(),
  };
}

function cell(value: unknown): Cell {
  if (typeof value === 'bigint') return Number(value);
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  if (Array.isArray(value)) return value.map(cell);
  throw new Error(`a question answers a value of an unexpected kind (${typeof value})`);
}
