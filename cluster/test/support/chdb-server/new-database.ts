import { randomUUID } from 'node:crypto';
import { ClickHouse, type Access } from '../../../lib/clickhouse/client.ts';
import { createStatements } from '../../../lib/clickhouse/schema.ts';

/** A new database with the tables on a server. */
export async function accessTo(url: string): Promise<Access> {
  const given = new URL(url);
  const [user, password] = [decodeURIComponent(given.username) || 'default', decodeURIComponent(given.password)];
  const access = {
    url: given.origin,
    user,
    password,
    database: `windlass_${randomUUID().replaceAll('-', '')}`,
    cluster: null,
  };
  const setup = new ClickHouse({ ...access, database: 'default' });
  for (const sql of createStatements({ database: access.database, cluster: null })) await setup.run({ sql });
  await setup.close();
  return access;
}
