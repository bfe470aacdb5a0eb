/** Shards that `wl admin restore --project` has staged, and that the folder's server swaps in. */
import type { ErrorData } from '../../base/errors.ts';
import type { Audit } from '../audit.ts';
import type { ControlConnection } from '../storage/connection.ts';
import type { Projects } from '../projects/projects.ts';
import type { Actor } from '../types.ts';

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
  ask({ projectId, force }: Replacement, by: Actor): void {
    const { connection, projects, audit } = this.#parts;
    connection.write(() => {
      audit.append(projects.get(projectId).orgId, 'project.restore', projectId, by);
      const sql = 'INSERT OR REPLACE INTO replacements (project_id, force, told) VALUES (?, ?, NULL)';
      connection.run(sql, projectId, force ? 1 : 0);
    });
  }

  /** Those not done yet. */
  waiting(): readonly Replacement[] {
    const sql = 'SELECT project_id AS projectId, force FROM replacements WHERE told IS NULL';
    const rows = this.#parts.connection.rows<{ projectId: string; force: number }>(sql);
    return rows.map(({ projectId, force }) => ({ projectId, force: force === 1 }));
  }

  /** Records the outcome; null: it is done. */
  tell(projectId: string, error: ErrorData | null): void {
    const { connection } = this.#parts;
    const sql = 'UPDATE replacements SET told = ? WHERE project_id = ?';
    connection.write(() => connection.run(sql, JSON.stringify(error), projectId));
  }

  /** The outcome, once; undefined: it is not done. */
  take(projectId: string): ErrorData | null | undefined {
    const { connection } = this.#parts;
    const told = connection.value<string | null>('SELECT told FROM replacements WHERE project_id = ?', projectId);
    if (told === undefined || told === null) return undefined;
    connection.write(() => connection.run('DELETE FROM replacements WHERE project_id = ?', projectId));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `tell` has written
    return JSON.parse(told) as ErrorData | null;
  }

  /** Gives up, unless it is done. False: it is. */
  giveUp(projectId: string): boolean {
    const { connection } = this.#parts;
    const sql = 'DELETE FROM replacements WHERE project_id = ? AND told IS NULL';
    return connection.write(() => connection.run(sql, projectId) > 0);
  }
}
