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
  const running = new Map<string, Promise<unknown>>();
  const runNow = async (call: Call): Promise<Result> => {
    const session = new Session(folder);
    try {
      // The engine gives statements ids of its own; the comment takes the place of the client's.
      const given = [...call.settings, ['log_comment', call.id] as const, ...call.values];
      session.query('SET max_query_size = 1000000000'); // long values are part of the next statement here
      session.query(`SET ${given.map(([name, value]) => `${name} = ${literal(value)}`).join(', ')}`);
      if (!/^\s*CREATE\s+DATABASE/i.test(call.sql)) session.query(`USE ${identifier(call.database)}`);
      if (call.rows !== null) {
        const { insert, checks } = insertOf(call.sql);
        for (const check of checks) session.query(check);
        await native.InsertRawAsyncConnection(session.connection, `${insert}\n`, call.rows, false);
        return NOTHING;
      }
      const killed = killedBy(call.sql);
      if (killed !== null) {
        const ids = session.query(`SELECT ${COMMENT} FROM system.processes WHERE ${killed}`).split('\n');
        session.query(`KILL QUERY WHERE ${killed} ASYNC`);
        // SYNC would wait for the whole library's statements.
        await Promise.allSettled(ids.flatMap((id) => running.get(id) ?? []));
        return NOTHING;
      }
      const answer = await session.queryAsync(call.sql, { format: 'TabSeparated' });
      const { rowsRead, bytesRead, elapsed } = answer;
      return { bytes: answer.bytes(), rowsRead, bytesRead, elapsed };
    } finally {
      session.close();
    }
  };
  return {
    run: async (call) => {
      const result = runNow(call);
      running.set(call.id, result);
      try {
        return await result;
      } finally {
        if (running.get(call.id) === result) running.delete(call.id);
      }
    },
    kill: (id) => {
      if (id !== '') first.query(`KILL QUERY WHERE ${COMMENT} = ${literal(id)} ASYNC`);
    },
  };
}

const COMMENT = "Settings['log_comment']";

/** Which statements a KILL is about, by their comments; null: it is none. */
function killedBy(sql: string): string | null {
  const where = /^\s*KILL\s+QUERY\s+WHERE\s+(.*?)\s+A?SYNC\s*$/is.exec(sql)?.[1];
  return where?.replaceAll(/\b(?:initial_)?query_id\b/g, COMMENT) ?? null;
}

const NOTHING = { bytes: new Uint8Array(0), rowsRead: 0, bytesRead: 0, elapsed: 0 };

/**
 * The library's function `input` reads nothing. So the rest of such a statement runs on no rows, and its condition, which is the
 * same for all rows, on one; then rows go into the table without it.
 */
function insertOf(sql: string): { readonly insert: string; readonly checks: readonly string[] } {
  const form =
    /^(INSERT INTO [^(]+ \([^)]*\)) (SELECT [^(]* FROM) input(\('(?:[^'\\]|\\.)*'\)) WHERE (.*)( FORMAT \w+)\s*$/;
  const found = form.exec(sql);
  if (found === null) return { insert: sql, checks: [] };
  const [, into, select, structure, condition, format] = found;
  return {
    insert: `${into}${format}`,
    checks: [`${into} ${select} null${structure} WHERE ${condition}`, `SELECT 1 WHERE ${condition}`],
  };
}

/** A statement is a text of C for the library: it would end at U+0000. */
const literal = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\0', '\\0')}'`;
const identifier = (name: string): string => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
