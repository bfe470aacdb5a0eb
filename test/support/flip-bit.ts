import Database from 'better-sqlite3';

/** A stored value of a shard. */
export interface StoredValue {
  readonly table: string;
  readonly column: string;
  /** Which row; default: the first. */
  readonly where?: string;
}

/** Flips a bit in the middle of a value. SQLite itself notices nothing. */
export function flipBit(file: string, { table, column, where = '1' }: StoredValue): void {
  const shard = new Database(file);
  const row = shard
    .prepare<[], { id: number; value: Buffer | string }>(
      `SELECT rowid AS id, ${column} AS value FROM ${table} WHERE ${where} ORDER BY rowid LIMIT 1`,
    )
    .get();
  if (!row) throw new Error(`${table} has no row where ${where}`);
  const bytes = Buffer.from(row.value);
  bytes[bytes.length >> 1]! ^= 4;
  const value = typeof row.value === 'string' ? bytes.toString('latin1') : bytes;
  shard.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`).run(value, row.id);
  shard.close();
}
