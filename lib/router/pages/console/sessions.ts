/** GET /console/sessions: the browsers that are logged in to an account, and ending their sessions. */
import Bowser from 'bowser';
import type { RequestHandler } from '../../http/request.ts';
import type { LoginSession } from '../../../control/types.ts';
import { day, minute } from '../figures.ts';
import { type Html, html } from '../html.ts';
import { apiForm } from './api-form.ts';
import { consolePage } from './console-layout.ts';
import { dataTable } from './data-table.ts';
import { SESSIONS_API } from './paths.ts';
import { forAccounts, type Visiting } from './visit.ts';

export function sessionsPage(context: Visiting): RequestHandler {
  return forAccounts(context, async (visit) => {
    const { account, request } = visit;
    const { sessionId } = await context.sessions.loggedIn(request);
    const sessions = await context.control.sessions.list(account.id);
    return consolePage({
      visit,
      title: 'Your sessions',
      main: html`<section aria-labelledby="sessions">
        <h2 id="sessions">Where you are logged in</h2>
        <p>End any session you do not recognize. That browser is logged out at once.</p>
        <div data-region="sessions">${table(sessions, sessionId)} ${sessions.length > 1 && endOthers()}</div>
      </section>`,
    });
  });
}

function table(sessions: readonly LoginSession[], current: string): Html {
  const rows = sessions.map((session) => {
    const isCurrent = session.id === current;
    return [
      html`${browserOf(session.userAgent)}${isCurrent && html` <span class="badge">this session</span>`}`,
      session.ip ?? 'unknown',
      minute(session.createdAt),
      minute(session.usedAt),
      day(session.endsAt),
      isCurrent ? null : ending(session),
    ];
  });
  const columns = [
    'browser',
    'address',
    'logged in (UTC)',
    'last used (UTC)',
    'expires',
    { name: 'End', isUnseen: true },
  ];
  return dataTable({ label: 'Table of sessions', columns, rows, isNamed: true });
}

function ending({ id, userAgent }: LoginSession): Html {
  const browser = browserOf(userAgent);
  return apiForm({
    method: 'DELETE',
    path: `${SESSIONS_API}/${encodeURIComponent(id)}`,
    label: `End the session in ${browser}`,
    submit: 'End',
    look: 'quiet',
    done: `Session in ${browser} ended.`,
  });
}

function endOthers(): Html {
  return apiForm({
    method: 'DELETE',
    path: SESSIONS_API,
    label: 'End all other sessions',
    submit: 'End all others',
    look: 'danger',
    confirm: 'End all other sessions? You will have to log in again in those browsers.',
    done: 'All other sessions ended.',
  });
}

/** As people say it: `Firefox on Linux`. */
function browserOf(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'unknown';
  const { browser, os } = Bowser.parse(userAgent);
  const names = [browser.name, os.name].filter((name) => name !== undefined && name !== '');
  return names.length === 0 ? userAgent : names.join(' on ');
}
