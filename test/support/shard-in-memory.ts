import Database from 'better-sqlite3';
import { SCHEMA, type Connection } from '../../lib/shards/file/shard-file.ts';

/** An empty shard without a file. */
export function openInMemory(): Connection {
  const connection = new Database(':memory:');
  connection.exec(SCHEMA);
  return connection;
}
