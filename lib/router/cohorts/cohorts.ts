/** Saved cohorts: what the keys of a project save and read, and members who are logged in. */
import type { ServerResponse } from 'node:http';
import { MAX_COHORT_BYTES, MAX_COHORT_DESCRIPTION } from '../../base/cohorts.ts';
import { isoTime } from '../../base/day.ts';
import { AppError } from '../../base/errors.ts';
import type { StoredCohort } from '../../control/projects/cohorts.ts';
import { wantsSuggestions, withSuggestions } from '../../dsl/hints/suggest.ts';
import { SESSION } from '../api/doors.ts';
import { type Admitting, BY_ACCOUNT, BY_KEY, type ProjectHolder, keyDoor } from '../api/project-door.ts';
import { projectRef } from '../project-ref.ts';
import type { RouterContext } from '../context.ts';
import { sendJson } from '../http/answer.ts';
import { idParameter, onlyParameter, queryParameters } from '../http/query-string.ts';
import type { Request } from '../http/request.ts';
import { readCohortApart } from '../reading/read-apart.ts';
import { noSuch } from '../roles.ts';
import { JsonBody } from '../route/json-body.ts';
import { type Admit, managed, type TurnDoor } from '../route/managed.ts';
import type { Routes } from '../route/route.ts';
import { also, ANY_STRING, component, DATE_TIME, json, list, NATURAL, objectOf, parameter, STRING_OR_NULL } from '../route/schema.ts'; // prettier-ignore

const VERSION = parameter('version', 'A stored version; defaults to the newest.', { type: 'integer', minimum: 1 });

const COHORT = objectOf({
  name: ANY_STRING,
  where: {
    ...STRING_OR_NULL,
    description: 'The condition, as it was saved; null for a token that sees no personal data, as it may name some.',
  },
  description: STRING_OR_NULL,
  version: { ...NATURAL, minimum: 1 },
  updated_at: DATE_TIME,
  updated_by: { type: 'string', description: 'As in the audit trail.' },
});

const SHOWN = component('Cohort', COHORT);
const SAVED = component(
  'SavedCohort',
  also(
    { unchanged: { type: 'boolean', description: 'Whether the newest version was equal, so none was added.' } },
    COHORT,
  ),
);
const GONE = objectOf({ deleted: { const: true }, name: ANY_STRING });

interface Body {
  readonly where: string;
  readonly description?: string | null;
}

const COHORT_BODY = new JsonBody<Body>(
  'cohort',
  {
    required: ['where'],
    properties: {
      where: { type: 'string', description: `The condition, as it would stand behind \`where\`: did(…), user.*, user_last_session.* and other cohorts; at most ${MAX_COHORT_BYTES.toLocaleString('en')} bytes.` },
      description: { type: ['string', 'null'], description: `A sentence for people, at most ${MAX_COHORT_DESCRIPTION} characters.` },
    },
  },
  {
    '': 'The body must be a JSON object with the condition in "where".',
    '/where': '"where" must be a condition in the pipe language, a string.',
    '/description': '"description" must be a string or null.',
  },
); // prettier-ignore

export const COHORT_ROUTES: Routes = {
  ...routesAt('/cohorts', keyDoor('cohorts'), BY_KEY),
  ...routesAt('/api/projects/{projectID}/cohorts', SESSION, BY_ACCOUNT),
};

function routesAt(path: string, door: TurnDoor, { prefix, reads, writes }: Admitting): Routes {
  return {
    [path]: {
      get: managed(door, `list${prefix}Cohorts`, 'Lists the cohorts of a project.', {
        admit: reads,
        ok: json('By name.', list(SHOWN)),
        fails: [404],
        answer: async ({ control }, { project, seesConditions }) =>
          (await control.cohorts.list(project.id)).map((cohort) => cohortJson(cohort, seesConditions)),
      }),
    },
    [`${path}/{cohortName}`]: {
      get: managed(door, `get${prefix}Cohort`, 'Shows a cohort.', {
        admit: reads,
        parameters: [VERSION],
        ok: json('The cohort.', SHOWN),
        answer: async ({ control }, { project, seesConditions }, request) => {
          const found = await control.cohorts.find(project.id, idParameter(request, 'cohortName'), versionOf(request));
          if (found === null) throw noSuch('cohort');
          return cohortJson(found, seesConditions);
        },
      }),
      put: managed(
        door,
        `save${prefix}Cohort`,
        'Saves a version of a cohort, unless the newest is the same. Counts as a query.',
        {
          ...COHORT_BODY.shownWith({
            ok: json('The newest version.', SAVED),
            answers: { '201': json('The first version.', SAVED) },
            fails: [404, 409],
          }),
          ...{ admit: writes, answer: saving(writes) },
        },
      ),
      delete: managed(door, `delete${prefix}Cohort`, 'Deletes a cohort with all its versions, unless something uses it.', {
        admit: writes,
        ok: json('It is gone.', GONE),
        fails: [409],
        answer: async ({ control }, { project, by }, request) => {
          const name = idParameter(request, 'cohortName');
          if (!(await control.cohorts.delete(project.id, name, by))) throw noSuch('cohort');
          return { deleted: true, name };
        },
      }),
    },
  }; // prettier-ignore
}

function saving(writes: Admit<ProjectHolder>) {
  return async (
    services: RouterContext,
    { project }: ProjectHolder,
    request: Request,
    response: ServerResponse,
  ): Promise<void> => {
    const { control, queryRate, store, turns } = services;
    queryRate.check(project);
    queryRate.add(project, 1);
    const name = idParameter(request, 'cohortName');
    const { body } = await COHORT_BODY.receiveFrom(() => writes(services, request), services, request, response);
    const { where, description = null } = body;
    refuseLong(body);
    turns.leave(request); // it is read in another thread
    const uses = await readCohortApart(project, where).catch(async (error: unknown) => {
      if (!(error instanceof AppError) || !wantsSuggestions(error)) throw error;
      throw withSuggestions(error, await store.catalog(projectRef(project)));
    });
    await turns.enter(request);
    const { stored, outcome } = await control.together(async () => {
      const { by } = await writes(services, request); // the right may have been lost meanwhile
      return control.cohorts.write({ projectId: project.id, name, where, description, uses }, by);
    });
    const unchanged = outcome === 'unchanged';
    sendJson(response, outcome === 'created' ? 201 : 200, { ...cohortJson(stored, true), unchanged });
  };
}

function refuseLong({ where, description }: Body): void {
  if (Buffer.byteLength(where) > MAX_COHORT_BYTES) {
    throw new AppError('bad_request', `"where" has more than ${MAX_COHORT_BYTES.toLocaleString('en')} bytes.`, {
      hints: ['Save parts of it as cohorts of their own.'],
    });
  }
  if ((description?.length ?? 0) > MAX_COHORT_DESCRIPTION)
    throw new AppError('bad_request', `"description" has more than ${MAX_COHORT_DESCRIPTION} characters.`);
}

function versionOf(request: Request): number | null {
  const given = onlyParameter(queryParameters(request), 'version');
  if (given === undefined) return null;
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw new AppError('bad_request', '"version" must be a whole number of at least 1.');
}

export function cohortJson({ name, where, description, version, at, by }: StoredCohort, seesCondition: boolean) {
  return {
    ...{ name, where: seesCondition ? where : null, description },
    ...{ version, updated_at: isoTime(at), updated_by: by },
  };
}
