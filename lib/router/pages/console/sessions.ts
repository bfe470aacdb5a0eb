/** GET /console/sessions: the browsers in which somebody is logged in, to end those that should not be. */
import Bowser from 'bowser';
import type { RequestHandler } from 'express';
import type { Session } from '../../../control/types.ts';
import type { RouterContext } from '../../context.ts';
import { day } from '../figures.ts';
import type { Html } from '../html.ts';
import { html } from '../html.ts';
import { apiForm } from './api-form.ts';
import { consolePage } from './console-layout.ts';
import { CONSOLE, SESSIONS_API } from './paths.ts';
import { forAccounts } from './visit.ts';

export function sessionsPage(context: RouterContext): RequestHandler {
  return forAccounts(context, (visit) => {
    const { account, request } = visit;
    const { sessionId } = context.sessions.loggedIn(request);
    const sessions = context.control.sessions.list(account.id);
    return consolePage({
      visit,
      title: 'Your sessions',
      crumbs: [{ href: CONSOLE, text: 'Console' }],
      main: html`<section aria-labelledby="sessions">
        <h2 id="sessions">Where you are logged in</h2>
        <p>End any session you do not recognize. That browser is logged out at once.</p>
        <div data-region="sessions">${table(sessions, sessionId)} ${sessions.length > 1 && endOthers()}</div>
      </section>`,
    });
  });
}

function table(sessions: readonly Session[], current: string): Html {
  return html`<div class="scroll" role="region" aria-label="Table of sessions" tabindex="0">
    <table class="data">
      <thead>
        <tr>
          <th scope="col">browser</th>
          <th scope="col">address</th>
          <th scope="col">logged in</th>
          <th scope="col">last used</th>
          <th scope="col">expires</th>
          <th scope="col"><span class="unseen">End</span></th>
        </tr>
      </thead>
      <tbody>
        ${sessions.map((session) => row(session, session.id === current))}
      </tbody>
    </table>
  </div>`;
}

function row(session: Session, current: boolean): Html {
  return html`<tr>
    <th scope="row">${browserOf(session.userAgent)}${current && html` <span class="badge">this session</span>`}</th>
    <td>${session.ip ?? 'unknown'}</td>
    <td>${day(session.createdAt)}</td>
    <td>${day(session.usedAt)}</td>
    <td>${day(session.endsAt)}</td>
    <td>${current ? null : ending(session)}</td>
  </tr>`;
}

function ending({ id, userAgent }: Session): Html {
  const browser = browserOf(userAgent);
  return apiForm({
    method: 'DELETE',
    path: `${SESSIONS_API}/${encodeURIComponent(id)}`,
    label: `End the session in ${browser}`,
    submit: 'End',
    look: 'quiet',
    after: { refresh: true },
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
    after: { refresh: true },
    done: 'All other sessions ended.',
  });
}

/** As people call it: `Firefox on Linux`. */
function browserOf(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'unknown';
  const { browser, os } = Bowser.parse(userAgent);
  const names = [browser.name, os.name].filter((name) => name !== undefined && name !== '');
  return names.length === 0 ? userAgent : names.join(' on ');
}
