import type { ControlConnection } from '../storage/connection.ts';
import { readJson } from '../../base/text/read-json.ts';

/** An erasure that is to be repeated after a restore. It names nobody: users and devices are keyed hashes (`hashId`). */
export interface ErasedUser {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly user: string;
  /** Devices whose events without a user belonged to the user. */
  readonly devices: readonly string[];
  /** Arrival numbers from here on came later. */
  readonly upTo: number;
}

/** The log of erased users where nodes share a control database. A data folder has its own. */
export class ErasedUsers {
  readonly #connection: ControlConnection;

  constructor(connection: ControlConnection) {
    this.#connection = connection;
  }

  /** On disk when it resolves. */
  async add(projectId: string, { user, devices, upTo, at }: ErasedUser): Promise<void> {
    await this.#connection.write(async () => {
      const row = { project_id: projectId, user_hash: user, devices: JSON.stringify(devices), up_to: upTo, at };
      await this.#connection.db.insertInto('erased_users').values(row).execute();
    });
  }

  /** Projects with any. */
  async projects(): Promise<readonly string[]> {
    const rows = await this.#connection.db.selectFrom('erased_users').select('project_id').distinct().execute();
    return rows.map(({ project_id }) => project_id);
  }

  /** Those of a project, oldest first. */
  async ofProject(projectId: string): Promise<readonly ErasedUser[]> {
    const { db } = this.#connection;
    const rows = await db.selectFrom('erased_users').selectAll().where('project_id', '=', projectId).orderBy('rowid').execute(); // prettier-ignore
    return rows.map(({ at, user_hash: user, devices, up_to: upTo }) => ({ at, user, devices: listOf(devices), upTo }));
  }
}

function listOf(json: string): readonly string[] {
  const list: unknown = readJson(json);
  if (!Array.isArray(list)) throw new Error('the devices of an erased user are no list');
  return list.map(String);
}
