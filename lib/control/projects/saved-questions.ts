import { AppError } from '../../base/errors.ts';
import type { Audit } from '../audit.ts';
import { type ControlConnection, countOf } from '../storage/connection.ts';
import type { Actor } from '../types.ts';
import type { Projects } from './projects.ts';

/** Saved questions of a project. */
export const MAX_SAVED_QUESTIONS = 200;
/** Versions kept of a question; the oldest are deleted. */
export const MAX_QUESTION_VERSIONS = 20;

/** Any text without control characters, of 1 to 80 characters, without spaces around it. */
export const QUESTION_NAME = /^(?!\s)\P{Cc}{1,80}(?<!\s)$/u;

/** A version of a saved question. */
export interface SavedQuestion {
  readonly name: string;
  /** As it was written. */
  readonly query: string;
  readonly version: number;
  /** When and by whom this version was written. */
  readonly at: number;
  readonly by: string;
}

interface NewVersion extends Pick<SavedQuestion, 'name' | 'query'> {
  readonly projectId: string;
}

interface Parts {
  readonly connection: ControlConnection;
  readonly projects: Projects;
  readonly audit: Audit;
}

/** Queries with names, which everybody in the project sees. A written version never changes. */
export class SavedQuestions {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The newest version of each, by name. */
  list(projectId: string): Promise<SavedQuestion[]> {
    const newest = this.#all(projectId).whereRef('question_versions.version', '=', 'questions.version');
    return newest.orderBy('questions.name').execute();
  }

  /** Those that are kept of a question, the newest first; none: there is no such question. */
  versions(projectId: string, name: string): Promise<SavedQuestion[]> {
    const named = this.#all(projectId).where('questions.name', '=', name);
    return named.orderBy('question_versions.version', 'desc').execute();
  }

  /**
   * Adds a version, unless the newest is the same. Throws AppError `bad_request` for a name that is none, `limit_reached` if the
   * project has too many.
   */
  async write(
    { projectId, name, query }: NewVersion,
    by: Actor,
  ): Promise<{ readonly stored: SavedQuestion; readonly outcome: 'created' | 'changed' | 'unchanged' }> {
    const { connection } = this.#parts;
    if (!QUESTION_NAME.test(name)) throw wrongName();
    return connection.write(async () => {
      const [before] = await this.versions(projectId, name);
      if (before?.query === query) return { stored: before, outcome: 'unchanged' };
      if (before === undefined) await this.#create(projectId, name);
      const { db, now } = connection;
      const stored = { name, query, version: (before?.version ?? 0) + 1, at: now(), by: by.name };
      await db
        .insertInto('question_versions')
        .values({ ...stored, project_id: projectId })
        .execute();
      const update = db.updateTable('questions').set({ version: stored.version });
      await update.where('project_id', '=', projectId).where('name', '=', name).execute();
      const old = db.deleteFrom('question_versions').where('project_id', '=', projectId).where('name', '=', name);
      await old.where('version', '<=', stored.version - MAX_QUESTION_VERSIONS).execute();
      await this.#audit(projectId, name, `version:${stored.version}`, by);
      return { stored, outcome: before === undefined ? 'created' : 'changed' };
    });
  }

  /** With all its versions. Returns whether there was one. */
  async delete(projectId: string, name: string, by: Actor): Promise<boolean> {
    const { connection } = this.#parts;
    return connection.write(async () => {
      if ((await this.versions(projectId, name)).length === 0) return false;
      const own = connection.db.deleteFrom('questions').where('project_id', '=', projectId);
      await own.where('name', '=', name).execute();
      await this.#audit(projectId, name, 'deleted', by);
      return true;
    });
  }

  async #create(projectId: string, name: string): Promise<void> {
    const { connection, projects } = this.#parts;
    await projects.get(projectId);
    const count = await countOf(connection.db.selectFrom('questions').where('project_id', '=', projectId));
    if (count >= MAX_SAVED_QUESTIONS) {
      throw new AppError('limit_reached', `a project may have ${MAX_SAVED_QUESTIONS} saved questions`, {
        hints: ['delete questions that nobody asks'],
      });
    }
    await connection.db.insertInto('questions').values({ project_id: projectId, name, version: 0 }).execute();
  }

  #all(projectId: string) {
    const joined = this.#parts.connection.db
      .selectFrom('questions')
      .innerJoin('question_versions', (join) =>
        join
          .onRef('question_versions.project_id', '=', 'questions.project_id')
          .onRef('question_versions.name', '=', 'questions.name'),
      );
    return joined
      .select(['questions.name', 'query', 'question_versions.version', 'at', 'by'])
      .where('questions.project_id', '=', projectId);
  }

  async #audit(projectId: string, name: string, what: string, by: Actor): Promise<void> {
    const { projects, audit } = this.#parts;
    const { orgId } = await projects.get(projectId);
    await audit.append(orgId, 'question.write', `${projectId}/question:${name}/${what}`, by);
  }
}

function wrongName(): AppError {
  return new AppError('bad_request', 'the name of a question has 1 to 80 characters, and no spaces around it', {
    hints: ['a name such as "Signups by day"'],
  });
}
