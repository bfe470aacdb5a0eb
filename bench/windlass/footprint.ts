/** What a project uses on disk. */
import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { COLUMN } from '../../lib/shards/segment/columns.ts';
import { shardPath } from '../../lib/shards/file/shard-file.ts';
import type { Project, WindlassServer } from './server.ts';

export interface Footprint {
  /** Bytes of the project's shard. */
  readonly shard: number;
  /** Those that identify duplicates of the last days. */
  readonly deduplication: number;
}

/** Reads the shard of a stopped server, so that its write-ahead log is in the file. */
export function measureFootprint(server: WindlassServer, project: Project): Footprint {
  const file = shardPath(server.folder, project.id);
  const database = new Database(file, { readonly: true });
  try {
    const bytes = (sql: string): number => Number(database.prepare(sql).pluck().get());
    const columns = [COLUMN.insertFilter, COLUMN.received].join();
    const deduplication = bytes(`SELECT coalesce(sum(length(data)), 0) FROM columns WHERE field IN (${columns})`);
    return { shard: statSync(file).size, deduplication };
  } finally {
    database.close();
  }
}
