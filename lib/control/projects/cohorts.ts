import { COHORT_NAME, type KnownCohorts, MAX_COHORT_DEPTH } from '../../base/cohorts.ts';
import { AppError } from '../../base/errors.ts';
import { nearest } from '../../base/text/nearest.ts';
import { readJson } from '../../base/text/read-json.ts';
import type { Audit } from '../audit.ts';
import { type ControlConnection, countOf } from '../storage/connection.ts';
import type { Actor } from '../types.ts';
import { type Dashboards, MAX_VERSIONS } from './dashboards.ts';
import type { Projects } from './projects.ts';
import { MOST_TOLD } from '../../base/text/shown.ts';

/** Cohorts of a project. */
export const MAX_COHORTS = 500;

/** A version of a cohort. */
export interface StoredCohort {
  readonly name: string;
  /** The condition, as it was written. */
  readonly where: string;
  readonly description: string | null;
  readonly version: number;
  /** When and by whom this version was written. */
  readonly at: number;
  readonly by: string;
}

export interface CohortText extends StoredCohort {
  /** The number of the newest version. */
  readonly newest: number;
}

/** `uses`: the names of the cohorts in the condition. */
interface NewVersion extends Pick<StoredCohort, 'name' | 'where' | 'description'> {
  readonly projectId: string;
  readonly uses: readonly string[];
}

interface Parts {
  readonly connection: ControlConnection;
  readonly projects: Projects;
  readonly dashboards: Dashboards;
  readonly audit: Audit;
}

/** Saved conditions on persons. A written version never changes; queries mean the newest. */
export class Cohorts {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** By name. */
  list(projectId: string): Promise<StoredCohort[]> {
    return this.#newest(projectId).orderBy('cohorts.name').execute();
  }

  async names(projectId: string): Promise<readonly string[]> {
    const all = this.#parts.connection.db.selectFrom('cohorts').select('name').where('project_id', '=', projectId);
    return (await all.orderBy('name').execute()).map(({ name }) => name);
  }

  /** The newest version, or the given one. null: there is none. */
  async find(projectId: string, name: string, version: number | null = null): Promise<CohortText | null> {
    const named = this.#versions(projectId).where('cohorts.name', '=', name).select('cohorts.version as newest');
    const one =
      version === null
        ? named.whereRef('cohort_versions.version', '=', 'cohorts.version')
        : named.where('cohort_versions.version', '=', version);
    return (await one.executeTakeFirst()) ?? null;
  }

  /** For a query that names these. */
  async known(projectId: string, wanted: readonly string[]): Promise<KnownCohorts> {
    const uses = await this.#uses(projectId);
    const reached = new Set(wanted);
    for (const name of reached) for (const used of uses.get(name) ?? []) reached.add(used);
    const names = [...uses.keys()];
    const known = [...reached].filter((name) => uses.has(name));
    if (known.length === 0) return { names, conditions: new Map() };
    const found = await this.#newest(projectId).where('cohorts.name', 'in', known).execute();
    return { names, conditions: new Map(found.map(({ name, where }) => [name, where])) };
  }

  /**
   * Adds a version, unless the newest is the same. Throws AppError `bad_request` for a name that is none, for a cohort in the condition
   * that does not exist, for a circle and for too many in each other, `limit_reached` if the project has too many.
   */
  async write(
    wanted: NewVersion,
    by: Actor,
  ): Promise<{ readonly stored: CohortText; readonly outcome: 'created' | 'changed' | 'unchanged' }> {
    const { connection } = this.#parts;
    const { projectId, name, where, description } = wanted;
    checkCohortName(name);
    return connection.write(async () => {
      const before = await this.find(projectId, name);
      await this.#checkUses(wanted);
      if (before?.where === where && before.description === description)
        return { stored: before, outcome: 'unchanged' };
      if (before === null) await this.#create(projectId, name);
      const { db, now } = connection;
      const version = (before?.newest ?? 0) + 1;
      const own = { project_id: projectId, name };
      const written = { condition: where, description, uses: JSON.stringify(wanted.uses), at: now(), by: by.name };
      await db.insertInto('cohort_versions').values({ ...own, version, ...written }).execute(); // prettier-ignore
      const update = db.updateTable('cohorts').set({ version });
      await update.where('project_id', '=', projectId).where('name', '=', name).execute();
      const old = db.deleteFrom('cohort_versions').where('project_id', '=', projectId).where('name', '=', name);
      await old.where('version', '<=', version - MAX_VERSIONS).execute();
      await this.#audit(projectId, name, `version:${version}`, by);
      const outcome = before === null ? 'created' : 'changed';
      return { stored: (await this.find(projectId, name))!, outcome };
    });
  }

  /**
   * With all its versions. Returns whether there was one. Throws AppError `conflict`, with their names, while dashboards or other cohorts
   * use it.
   */
  async delete(projectId: string, name: string, by: Actor): Promise<boolean> {
    const { connection, dashboards } = this.#parts;
    return connection.write(async () => {
      const uses = await this.#uses(projectId);
      if (!uses.has(name)) return false;
      const cohorts = [...uses].flatMap(([other, used]) => (used.includes(name) ? [`cohort "${other}"`] : []));
      const users = [...cohorts, ...(await dashboards.namingCohort(projectId, name))];
      if (users.length > 0) throw inUse(name, users);
      const own = connection.db.deleteFrom('cohorts').where('project_id', '=', projectId);
      await own.where('name', '=', name).execute();
      await this.#audit(projectId, name, 'deleted', by);
      return true;
    });
  }

  async #create(projectId: string, name: string): Promise<void> {
    const { connection, projects } = this.#parts;
    await projects.get(projectId);
    const count = await countOf(connection.db.selectFrom('cohorts').where('project_id', '=', projectId));
    if (count >= MAX_COHORTS) {
      throw new AppError('limit_reached', `a project may have ${MAX_COHORTS} cohorts`, {
        hints: ['delete cohorts that nobody uses'],
      });
    }
    await connection.db.insertInto('cohorts').values({ project_id: projectId, name, version: 0 }).execute();
  }

  async #checkUses({ projectId, name, uses: own }: NewVersion): Promise<void> {
    if (own.length === 0) return; // whoever names it gets no deeper by that
    const uses = new Map(await this.#uses(projectId)).set(name, own);
    for (const used of own) if (!uses.has(used)) throw unknownCohort(used, [...uses.keys()]);
    const chains = new Map<string, Chain>();
    for (const start of uses.keys()) {
      const chain = longestFrom(start, { uses, chains, above: [] });
      if (chain.length <= MAX_COHORT_DEPTH) continue;
      const what = `cohorts stand in each other at most ${MAX_COHORT_DEPTH} deep: ${shown(chain)}`;
      throw refused(what, 'write the condition of one into another');
    }
  }

  /** By name, which others the newest version of each names. */
  async #uses(projectId: string): Promise<ReadonlyMap<string, readonly string[]>> {
    const rows = await this.#newest(projectId)
      .clearSelect()
      .select(['cohorts.name', 'uses'])
      .orderBy('cohorts.name')
      .execute();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `write` has written
    return new Map(rows.map(({ name, uses }) => [name, readJson(uses) as readonly string[]]));
  }

  #newest(projectId: string) {
    return this.#versions(projectId).whereRef('cohort_versions.version', '=', 'cohorts.version');
  }

  #versions(projectId: string) {
    const joined = this.#parts.connection.db
      .selectFrom('cohorts')
      .innerJoin('cohort_versions', (join) =>
        join
          .onRef('cohort_versions.project_id', '=', 'cohorts.project_id')
          .onRef('cohort_versions.name', '=', 'cohorts.name'),
      );
    return joined
      .select(['cohorts.name', 'condition as where', 'description', 'cohort_versions.version', 'at', 'by'])
      .where('cohorts.project_id', '=', projectId);
  }

  async #audit(projectId: string, name: string, what: string, by: Actor): Promise<void> {
    const { projects, audit } = this.#parts;
    const { orgId } = await projects.get(projectId);
    await audit.append(orgId, 'cohort.write', `${projectId}/cohort:${name}/${what}`, by);
  }
}

/** Throws AppError `bad_request`. */
function checkCohortName(name: string): void {
  if (COHORT_NAME.test(name)) return;
  throw refused(
    'the name of a cohort has letters, digits, spaces and `_ - .`, at most 64',
    'spaces stand only within it',
  );
}

/** Names of cohorts, each of which names the next. */
type Chain = readonly string[];

interface Walk {
  readonly uses: ReadonlyMap<string, readonly string[]>;
  /** The longest from each that is known. */
  readonly chains: Map<string, Chain>;
  /** Those on the way here. */
  readonly above: Chain;
}

/** Throws AppError `bad_request` where one leads back to itself. */
function longestFrom(name: string, { uses, chains, above }: Walk): Chain {
  const known = chains.get(name);
  if (known !== undefined) return known;
  if (above.includes(name)) {
    const circle = [...above.slice(above.indexOf(name)), name];
    throw refused(
      `the cohort leads back to itself: ${shown(circle)}`,
      'take one of them out of the condition of another',
    );
  }
  let longest: Chain = [];
  for (const used of uses.get(name) ?? []) {
    const chain = longestFrom(used, { uses, chains, above: [...above, name] });
    if (chain.length > longest.length) longest = chain;
  }
  const chain = [name, ...longest];
  chains.set(name, chain);
  return chain;
}

const shown = (path: readonly string[]): string => path.map((name) => `"${name}"`).join(' → ');

const refused = (what: string, hint: string): AppError => new AppError('bad_request', what, { hints: [hint] });

function unknownCohort(name: string, names: readonly string[]): AppError {
  const meant = nearest(name, names);
  return refused(
    `the condition names the cohort ${JSON.stringify(name)}, which does not exist`,
    meant === null ? 'save that one first' : `did you mean "${meant}"?`,
  );
}

function inUse(name: string, users: readonly string[]): AppError {
  const left = users.length - MOST_TOLD;
  const named = [...users.slice(0, MOST_TOLD), ...(left > 0 ? [`${left} more`] : [])].join(', ');
  return new AppError('conflict', `the cohort "${name}" is used by ${named}`, { hints: ['take it out of them first'] });
}
