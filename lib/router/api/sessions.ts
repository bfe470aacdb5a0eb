/** /api/session and /api/sessions: who is logged in, and in which browsers. */
import { accountJson, sessionJson } from '../../control/json.ts';
import { idParameter } from '../http/query-string.ts';
import { managed } from '../route/managed.ts';
import type { Routes } from '../route/route.ts';
import { component, NATURAL, json, list, STRING_OR_NULL, DATE_TIME, objectOf } from '../route/schema.ts';
import { noSuch } from '../roles.ts';
import { SESSION, admitVisitor } from './doors.ts';
import { DELETED } from './schemas.ts';

const ACCOUNT = component(
  'Session',
  objectOf({
    account: objectOf({ id: { type: 'string', pattern: '^usr_' }, email: STRING_OR_NULL, name: STRING_OR_NULL }),
  }),
);

const BROWSER_SESSION = component(
  'BrowserSession',
  objectOf({
    id: { type: 'string', pattern: '^ses_' },
    current: { type: 'boolean', description: 'Whether it is the current session.' },
    created_at: DATE_TIME,
    last_used_at: { ...DATE_TIME, description: 'Precise to the hour.' },
    expires_at: { ...DATE_TIME, description: 'When it ends at the latest; earlier if unused for 30 days.' },
    ip: { ...STRING_OR_NULL, description: 'Where the login came from.' },
    user_agent: STRING_OR_NULL,
  }),
);

/** Ending sessions is no change that is limited: whoever has a stolen one must not keep its owner from that. */
export const SESSION_ROUTES: Routes = {
  '/api/session': {
    get: managed(SESSION, 'getSession', 'Shows the current account.', {
      admit: admitVisitor('read'),
      ok: json('The account.', ACCOUNT),
      answer: (_services, { account }) => ({ account: accountJson(account) }),
    }),
  },
  '/api/sessions': {
    get: managed(SESSION, 'listSessions', 'Lists the sessions of the account.', {
      admit: admitVisitor('read'),
      ok: json('The last used first.', list(BROWSER_SESSION)),
      answer: async ({ control }, { account, sessionId }) =>
        (await control.sessions.list(account.id)).map((session) => sessionJson(session, session.id === sessionId)),
    }),
    // The requesting session stays.
    delete: managed(SESSION, 'endOtherSessions', 'Ends all other sessions of the account.', {
      limited: false,
      admit: admitVisitor('change'),
      ok: json(
        'Their cookies no longer work.',
        component('SessionsEnded', objectOf({ deleted: { const: true }, ended: NATURAL })),
      ),
      answer: async ({ control, security }, { account, sessionId, by }, request) => {
        const ended = await control.sessions.endOthers(account.id, sessionId);
        security.sessionsEnded(request, by.name, ended);
        return { deleted: true, ended };
      },
    }),
  },
  '/api/sessions/{sessionID}': {
    // The requesting one too: that is a logout.
    delete: managed(SESSION, 'endSession', 'Ends a session of the account.', {
      limited: false,
      admit: admitVisitor('change'),
      ok: json('Its cookie no longer works.', DELETED),
      answer: async ({ control, security }, { account, by }, request) => {
        const id = idParameter(request, 'sessionID');
        if (!(await control.sessions.endOne(account.id, id))) throw noSuch('session');
        security.sessionsEnded(request, by.name, 1);
        return { deleted: true, id };
      },
    }),
  },
};
