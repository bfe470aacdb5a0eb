/** Queries from the console: the query itself, and the names that complete it. Not in turns: queries have their own. */
import { projectRef } from '../project-ref.ts';
import { sendJson } from '../http/answer.ts';
import { checkSuspension } from '../limits/suspension.ts';
import { answering, ASKED, checkSwitchedOn } from '../query/query.ts';
import { operation, type Routes } from '../route/route.ts';
import { json, ANY_STRING, objectOf } from '../route/schema.ts';
import { SESSION } from './doors.ts';

/** Names of each kind: people mostly type the most frequent ones, and a page must load them all. */
const MOST_NAMES = 1_000;
const NAMES = { type: 'array', maxItems: MOST_NAMES, items: ANY_STRING };

export const QUESTION_ROUTES: Routes = {
  '/api/projects/{projectID}/query': {
    post: operation(SESSION, 'askProject', 'Answers a query, as POST /query does.', {
      ...ASKED,
      handler: (services) => {
        const admit = SESSION.project('ask');
        return answering(services, async (request) => {
          const { project, seesSecrets } = await admit(services, request);
          return { project, hashKey: null, seesProfiles: seesSecrets };
        });
      },
    }),
  },
  '/api/projects/{projectID}/names': {
    get: operation(SESSION, 'getProjectNames', 'Lists names for query completion. Counts as a query.', {
      ok: json(
        'The most frequent events, properties of events and people, and cohorts.',
        objectOf({ events: NAMES, fields: NAMES, cohorts: NAMES }),
      ),
      // It reads the project's catalog, which is work for a writer, so it counts as a query of the minute.
      handler: (services) => async (request, response) => {
        const { control, store, queryRate, config } = services;
        const { project } = await SESSION.project('look')(services, request);
        checkSwitchedOn(config);
        checkSuspension(project, 'queries');
        queryRate.check(project);
        queryRate.add(project, 1);
        const { events, fields } = await store.catalog(projectRef(project));
        sendJson(response, 200, {
          events: events.slice(0, MOST_NAMES).map(({ name }) => name),
          fields: fields.slice(0, MOST_NAMES),
          cohorts: await control.cohorts.names(project.id),
        });
      },
    }),
  },
};
