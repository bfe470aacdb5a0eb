/** Shards that `wl admin restore --project` has staged, and that the folder's server swaps in. */
import type { ErrorData } from '../../base/errors.ts';
import type { Audit } from '../audit.ts';
import type { ControlConnection } from '../storage/connection.ts';
import type { Projects } from '../projects/projects.ts';
import type { Actor } from '../types.ts';
import { readJson } from '../../base/text/read-json.ts';

export interface Replacement {
  readonly projectId: string;
  readonly force: boolean;
}

interface Parts {
  readonly connection: ControlConnection;
  readonly projects: Projects;
  readonly audit: Audit;
}

export class Replacements {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Throws AppError `not_found`. */
  async ask({ projectId, force }: Replacement, by: Actor): Promise<void> {
    const { connection, projects, audit } = this.#parts;
    await connection.write(async () => {
      await audit.append((await projects.get(projectId)).orgId, 'project.restore', projectId, by);
      const asked = { force: force ? 1 : 0, told: null };
      const insert = connection.db.insertInto('replacements').values({ project_id: projectId, ...asked });
      await insert.onConflict((known) => known.column('project_id').doUpdateSet(asked)).execute();
    });
  }

  /** Those not done yet. */
  async waiting(): Promise<readonly Replacement[]> {
    const select = this.#parts.connection.db.selectFrom('replacements').select(['project_id as projectId', 'force']);
    const rows = await select.where('told', 'is', null).execute();
    return rows.map(({ projectId, force }) => ({ projectId, force: force === 1 }));
  }

  /** Records the outcome; null: it is done. */
  async tell(projectId: string, error: ErrorData | null): Promise<void> {
    const { connection } = this.#parts;
    const update = () => connection.db.updateTable('replacements').set({ told: JSON.stringify(error) });
    await connection.write(() => update().where('project_id', '=', projectId).execute());
  }

  /** The outcome, once; undefined: it is not done. */
  async take(projectId: string): Promise<ErrorData | null | undefined> {
    const { connection } = this.#parts;
    const select = connection.db.selectFrom('replacements').select('told').where('project_id', '=', projectId);
    const told = (await select.executeTakeFirst())?.told ?? null;
    if (told === null) return undefined;
    await connection.write(() =>
      connection.db.deleteFrom('replacements').where('project_id', '=', projectId).execute(),
    );
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `tell` has written
    return readJson(told) as ErrorData | null;
  }

  /** Gives up, unless it is done. False: it is. */
  async giveUp(projectId: string): Promise<boolean> {
    const { connection } = this.#parts;
    const { numDeletedRows } = await connection.write(() => {
      const waiting = connection.db.deleteFrom('replacements').where('told', 'is', null);
      return waiting.where('project_id', '=', projectId).executeTakeFirst();
    });
    return numDeletedRows > 0n;
  }
}
