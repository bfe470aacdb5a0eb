import { join } from 'node:path';
import Database from 'better-sqlite3';
import { engineAt } from '../../lib/cluster.ts';
import { CONTROL_FILE, ControlDatabase, type OpenOptions } from '../../lib/control/database.ts';
import type { RetentionRemoval } from '../../lib/control/projects/retention-changes.ts';
import type { Actor, Organization, Project } from '../../lib/control/types.ts';
import type { PostgresLocation } from '../../lib/base/config/postgres-location.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export const SECRET = 'a secret of the tests';
export const TESTER: Actor = { name: 'tester', ip: '192.0.2.1' };
/** Whether tests of the control database run on PostgreSQL, as `npm run test:postgres` does, and not on files. */
export const onPostgres = process.env['POSTGRES_URL'] !== undefined;
const postgres = onPostgres ? await import('../../cluster/test/support/postgres-schema.ts') : null;

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** What a shorter retention removes where nothing is as old. */
export const nothingOlder = (days: number, from: number | null = null): RetentionRemoval => ({
  ...{ from, days, events: 0, confirmed: false },
});

/** A clock that moves only when a test sets it. */
export class Clock {
  time = Date.UTC(2026, 0, 15, 12);
  readonly now = (): number => this.time;
}

export interface World {
  readonly folder: string;
  readonly clock: Clock;
  readonly control: ControlDatabase;
  readonly organization: Organization;
  readonly adminKey: string;
  readonly project: Project;
  readonly secretKey: string;
}

const open: ControlDatabase[] = [];
/** With POSTGRES_URL, each folder's database is a schema of that server. */
const schemas = new Map<string, PostgresLocation | null>();

/** A control database in a new folder, with an organization and a project. */
export async function newWorld(): Promise<World> {
  const folder = temporaryFolder();
  const clock = new Clock();
  const control = await openControl(folder, clock);
  const { organization, adminKey } = await control.organizations.create('Acme');
  const { project, secretKey } = await control.projects.create(organization.id, 'Shop', TESTER);
  return { folder, clock, control, organization, adminKey, project, secretKey };
}

/** Opens a folder again, as another process would. */
export async function openControl(
  folder: string,
  clock: Clock = new Clock(),
  options: Partial<OpenOptions> = {},
): Promise<ControlDatabase> {
  const location = schemas.get(folder) ?? (await postgres?.newSchema()) ?? null;
  schemas.set(folder, location);
  let opened = !onPostgres; // PostgreSQL refuses a node whose clock is not about its own
  const now = (): number => (opened ? clock.now() : Date.now());
  const control = await ControlDatabase.open(folder, { secret: SECRET, now, engine: engineAt(location), ...options });
  opened = true;
  open.push(control);
  return control;
}

/** What `look` finds after another process has changed it: at once in a file; on PostgreSQL once the news are here. */
export async function afterChange<T>(look: () => T | Promise<T>, isNew: (found: T) => boolean): Promise<T> {
  let found = await look();
  if (!onPostgres) return found;
  while (!isNew(found)) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    found = await look();
  }
  return found;
}

/** Removes an account from the database of a folder, as an operator would by hand. */
export async function removeAccount(folder: string, id: string): Promise<void> {
  const location = schemas.get(folder) ?? null;
  if (postgres !== null && location !== null)
    return postgres.runInSchema(location, `DELETE FROM accounts WHERE id = '${id}'`);
  const db = new Database(join(folder, CONTROL_FILE));
  db.prepare('DELETE FROM accounts WHERE id = ?').run(id);
  db.close();
}

afterEach(async () => {
  for (const control of open.splice(0)) await control.close();
  await postgres?.dropSchemas([...schemas.values()].filter((location) => location !== null));
  schemas.clear();
});
