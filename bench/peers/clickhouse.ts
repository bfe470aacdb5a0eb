/** ClickHouse's engine in process (chDB): one data folder; each query sets threads and caches. */
import { join } from 'node:path';
import { requirePeer, type Peer, type Row } from './peer.ts';

/** The part of chdb used here. */
interface ChdbApi {
  readonly Session: new (path: string) => { query(sql: string, format?: string): string; close(): void };
}

export async function openClickHouse(folder: string): Promise<Peer> {
  const api: ChdbApi = requirePeer('chdb');
  const session = new api.Session(join(folder, 'chdb'));
  session.query('SET output_format_json_quote_64bit_integers = 0');
  return {
    run: async (statement) => {
      session.query(statement);
    },
    ask: async (statement): Promise<Row[]> => {
      const text = session.query(statement, 'JSONCompactEachRow');
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line): Row => JSON.parse(line));
    },
    close: () => session.close(),
  };
}
