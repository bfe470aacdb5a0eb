import type { ClickHouse } from './client.ts';
import { localTable } from './schema.ts';

/** A mutation rewrites every part that has such rows. Milliseconds. */
const TIME = 3_600_000;

/**
 * Removes rows of a project. `which` has no text of a tenant, since ClickHouse keeps the text of mutations. Resolves when every
 * server has rewritten the parts that had any.
 */
export async function removeRows(clickHouse: ClickHouse, table: string, project: string, which: string): Promise<void> {
  await clickHouse.run(
    {
      sql: `ALTER TABLE ${localTable(table, clickHouse.cluster)} DELETE WHERE project = {project:String} AND (${which})`,
      params: { project },
    },
    { time: TIME, settings: { mutations_sync: '2' } },
  );
}
