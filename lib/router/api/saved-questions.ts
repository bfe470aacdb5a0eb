/** The saved questions of a project: queries with names, which everybody in it sees. Members save them. */
import { isoTime } from '../../base/day.ts';
import { AppError } from '../../base/errors.ts';
import type { SavedQuestion } from '../../control/projects/saved-questions.ts';
import { sendJson } from '../http/answer.ts';
import { idParameter } from '../http/query-string.ts';
import { noSuch } from '../roles.ts';
import { JsonBody } from '../route/json-body.ts';
import { managed } from '../route/managed.ts';
import type { Routes } from '../route/route.ts';
import { also, ANY_STRING, component, DATE_TIME, json, list, NATURAL, objectOf } from '../route/schema.ts';
import { SESSION } from './doors.ts';
import { BY_ACCOUNT } from './project-door.ts';

const QUESTION = objectOf({
  name: ANY_STRING,
  query: { type: 'string', description: 'As it was written.' },
  version: { ...NATURAL, minimum: 1 },
  updated_at: DATE_TIME,
  updated_by: { type: 'string', description: 'As in the audit trail.' },
});

const SHOWN = component('SavedQuestion', QUESTION);
const SAVED = component(
  'StoredQuestion',
  also(
    { unchanged: { type: 'boolean', description: 'Whether the newest version was equal, so none was added.' } },
    QUESTION,
  ),
);
const GONE = objectOf({ deleted: { const: true }, name: ANY_STRING });

const BODY = new JsonBody<{ readonly query: string }>(
  'saved_question',
  {
    required: ['query'],
    properties: { query: { type: 'string', description: 'A query in the pipe language.' } },
  },
  {
    '': 'The body must be a JSON object with the query in "query".',
    '/query': '"query" must be a query in the pipe language, a string.',
  },
);

const PATH = '/api/projects/{projectID}/questions';

export const SAVED_QUESTION_ROUTES: Routes = {
  [PATH]: {
    get: managed(SESSION, 'listSavedQuestions', 'Lists the saved questions of a project.', {
      admit: BY_ACCOUNT.reads,
      ok: json('The newest version of each, by name.', list(SHOWN)),
      fails: [404],
      answer: async ({ control }, { project }) => (await control.savedQuestions.list(project.id)).map(questionJson),
    }),
  },
  [`${PATH}/{questionName}`]: {
    put: managed(SESSION, 'saveQuestion', 'Saves a version of a question, unless the newest is the same.', {
      ...BODY.shownWith({
        ok: json('The newest version.', SAVED),
        answers: { '201': json('The first version.', SAVED) },
        fails: [404],
      }),
      admit: BY_ACCOUNT.writes,
      answer: async (services, _, request, response) => {
        const { control, config } = services;
        const { body, admitted } = await BODY.receiveFrom(
          () => BY_ACCOUNT.writes(services, request),
          services,
          request,
          response,
        );
        const { query } = body;
        if (query.trim() === '')
          throw new AppError('bad_request', '"query" is empty: send a query in the pipe language.');
        if (Buffer.byteLength(query) > config.queryLength) throw tooLong(config.queryLength);
        const wanted = { projectId: admitted.project.id, name: idParameter(request, 'questionName'), query };
        const { stored, outcome } = await control.savedQuestions.write(wanted, admitted.by);
        const saved = { ...questionJson(stored), unchanged: outcome === 'unchanged' };
        sendJson(response, outcome === 'created' ? 201 : 200, saved);
      },
    }),
    delete: managed(SESSION, 'deleteQuestion', 'Deletes a saved question with all its versions.', {
      admit: BY_ACCOUNT.writes,
      ok: json('It is gone.', GONE),
      answer: async ({ control }, { project, by }, request) => {
        const name = idParameter(request, 'questionName');
        if (!(await control.savedQuestions.delete(project.id, name, by))) throw noSuch('question');
        return { deleted: true, name };
      },
    }),
  },
  [`${PATH}/{questionName}/versions`]: {
    get: managed(SESSION, 'listQuestionVersions', 'Lists the versions of a saved question.', {
      admit: BY_ACCOUNT.reads,
      ok: json('The newest first.', list(SHOWN)),
      answer: async ({ control }, { project }, request) => {
        const versions = await control.savedQuestions.versions(project.id, idParameter(request, 'questionName'));
        if (versions.length === 0) throw noSuch('question');
        return versions.map(questionJson);
      },
    }),
  },
};

function questionJson({ name, query, version, at, by }: SavedQuestion) {
  return { name, query, version, updated_at: isoTime(at), updated_by: by };
}

function tooLong(most: number): AppError {
  return new AppError('bad_request', `"query" has more than ${most.toLocaleString('en')} bytes.`, {
    hints: ['Save a shorter query.'],
  });
}
