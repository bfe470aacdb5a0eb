import { AppError } from '../../base/errors.ts';
import type { Audit } from '../audit.ts';
import { newId } from '../key-text.ts';
import { type ControlConnection, countOf } from '../storage/connection.ts';
import { checkName } from '../names.ts';
import type { Actor } from '../types.ts';
import type { Projects } from './projects.ts';

/** Annotations of a project: a deploy a day for almost three years. */
export const MAX_ANNOTATIONS = 1_000;

/** What happened when, such as a deploy: drawn in every chart over time of the project's dashboards. */
export interface StoredAnnotation {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly text: string;
  /** When and by whom it was added. */
  readonly createdAt: number;
  readonly createdBy: string;
}

interface Parts {
  readonly connection: ControlConnection;
  readonly projects: Projects;
  readonly audit: Audit;
}

export class Annotations {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** By time. */
  list(projectId: string): Promise<StoredAnnotation[]> {
    return this.#all(projectId).orderBy('at').orderBy('id').execute();
  }

  /**
   * Adds one, unless there is the same text at the same time. Throws AppError `bad_request` for a text that is none, `limit_reached`
   * if the project has too many.
   */
  async add(
    { projectId, at, text: given }: Pick<StoredAnnotation, 'at' | 'text'> & { readonly projectId: string },
    by: Actor,
  ): Promise<{ readonly stored: StoredAnnotation; readonly isNew: boolean }> {
    const { connection, projects } = this.#parts;
    const text = checkName(given, 'text');
    return connection.write(async () => {
      const { orgId } = await projects.get(projectId);
      const same = await this.#all(projectId).where('at', '=', at).where('text', '=', text).executeTakeFirst();
      if (same !== undefined) return { stored: same, isNew: false };
      const { db, now } = connection;
      const count = await countOf(db.selectFrom('annotations').where('project_id', '=', projectId));
      if (count >= MAX_ANNOTATIONS) throw tooMany();
      const stored = { id: newId('ann_'), at, text, createdAt: now(), createdBy: by.name };
      const row = { id: stored.id, project_id: projectId, at, text, created_at: stored.createdAt, created_by: by.name };
      await db.insertInto('annotations').values(row).execute();
      await this.#parts.audit.append(orgId, 'annotation.write', `${projectId}/annotation:${stored.id}/added`, by);
      return { stored, isNew: true };
    });
  }

  /** Returns whether there was one. */
  async delete(projectId: string, id: string, by: Actor): Promise<boolean> {
    const { connection, projects, audit } = this.#parts;
    return connection.write(async () => {
      const { orgId } = await projects.get(projectId);
      const own = connection.db.deleteFrom('annotations').where('project_id', '=', projectId);
      const gone = await own.where('id', '=', id).returning('id').executeTakeFirst();
      if (gone === undefined) return false;
      await audit.append(orgId, 'annotation.write', `${projectId}/annotation:${id}/deleted`, by);
      return true;
    });
  }

  #all(projectId: string) {
    const all = this.#parts.connection.db.selectFrom('annotations').where('project_id', '=', projectId);
    return all.select(['id', 'at', 'text', 'created_at as createdAt', 'created_by as createdBy']);
  }
}

function tooMany(): AppError {
  return new AppError('limit_reached', `a project may have ${MAX_ANNOTATIONS.toLocaleString('en')} annotations`, {
    hints: ['delete old ones: `wl annotation list`, `wl annotation delete ID`'],
  });
}
