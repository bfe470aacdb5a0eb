/** chDB: one data folder per process, a connection for each statement, as settings and bound values belong to a connection. */
import { createRequire } from 'node:module';
import path from 'node:path';

/** One statement. Values are escaped as ClickHouse's protocol wants it. */
export interface Call {
  readonly id: string;
  readonly database: string;
  readonly sql: string;
  /** Of an INSERT: in the statement's format. */
  readonly rows: Buffer | null;
  readonly values: readonly (readonly [name: string, value: string])[];
  readonly settings: readonly (readonly [name: string, value: string])[];
}

interface Result {
  readonly bytes: Uint8Array;
  readonly rowsRead: number;
  readonly bytesRead: number;
  readonly elapsed: number;
}

export interface Engine {
  run(call: Call): Promise<Result>;
  kill(id: string): void;
}

/** What is used of package chdb, which is not among those of `npm test`. */
interface Session {
  readonly connection: object;
  query(sql: string, format?: string): string;
  queryAsync(sql: string, options: { format: string }): Promise<{ bytes(): Uint8Array } & Omit<Result, 'bytes'>>;
  close(): void;
}
interface Native {
  InsertRawAsyncConnection(connection: object, sql: string, rows: Buffer, count: boolean): Promise<unknown>;
}

const requirePeer = createRequire(path.join(process.cwd(), 'bench', 'package.json'));

export function openEngine(folder: string): Engine {
  const { Session } = requirePeer('chdb') as { Session: new (folder: string) => Session };
  const loader = path.join(path.dirname(requirePeer.resolve('chdb')), 'dist', 'loader.js');
  const native = (requirePeer(loader) as { loadNative(): Native }).loadNative();
  const first = new Session(folder); // the folder stays open as long as one connection is
  return {
    run: async (call) => {
      const session = new Session(folder);
      try {
        // The engine gives statements ids of its own; the comment takes the place of the client's.
        const given = [...call.settings, ['log_comment', call.id] as const, ...call.values];
        session.query('SET max_query_size = 1000000000'); // long values are part of the next statement here
        session.query(`SET ${given.map(([name, value]) => `${name} = ${literal(value)}`).join(', ')}`);
        if (!/^\s*CREATE\s+DATABASE/i.test(call.sql)) session.query(`USE ${identifier(call.database)}`);
        if (call.rows !== null) {
          await native.InsertRawAsyncConnection(session.connection, `${call.sql}\n`, call.rows, false);
          return { bytes: new Uint8Array(0), rowsRead: 0, bytesRead: 0, elapsed: 0 };
        }
        const answer = await session.queryAsync(byComment(call.sql), { format: 'TabSeparated' });
        const { rowsRead, bytesRead, elapsed } = answer;
        return { bytes: answer.bytes(), rowsRead, bytesRead, elapsed };
      } finally {
        session.close();
      }
    },
    kill: (id) => {
      if (id !== '') first.query(`KILL QUERY WHERE ${COMMENT} = ${literal(id)} ASYNC`);
    },
  };
}

const COMMENT = "Settings['log_comment']";

function byComment(sql: string): string {
  return /^\s*KILL\s+QUERY/i.test(sql) ? sql.replaceAll('query_id', COMMENT) : sql;
}

const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const identifier = (name: string): string => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
