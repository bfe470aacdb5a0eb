/** GET /console/projects/{projectID}/keys: the keys and access tokens of a project. */
import type { RequestHandler } from '../../http/request.ts';
import { type Scope, type Token, SCOPES } from '../../../control/types.ts';
import { day } from '../figures.ts';
import { DAY_MS } from '../../../base/day.ts';
import { type Html, html, shownOnce, snippet } from '../html.ts';
import { apiForm, folded, selectField, textField } from './api-form.ts';
import { emptyState } from './console-layout.ts';
import { breakable, dataTable, firstRows } from './data-table.ts';
import { projectApi } from './paths.ts';
import { projectPage } from './project-layout.ts';
import { type ProjectVisit, forProject, may, type Visiting } from './visit.ts';

const MEANING: Readonly<Record<Scope, string>> = {
  track: 'send events and identify people',
  query: 'run queries',
  admin: 'export and erase people',
  dashboards: 'read and write dashboards',
};

const LIFETIMES = [
  ['24h', '1 day'],
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['90d', '90 days'],
  ['365d', '1 year'],
] as const;

const PERSONAL = [
  ['true', 'sees it'],
  ['false', 'does not see it'],
] as const;

const GRACES = [
  ['0h', 'at once'],
  ['1h', 'in 1 hour'],
  ['24h', 'in 24 hours'],
  ['7d', 'in 7 days'],
] as const;

export function projectKeys(context: Visiting): RequestHandler {
  return forProject(context, 'member', async (visit) => {
    const tokens = await context.control.tokens.list(visit.project.id);
    return projectPage(
      visit,
      'keys',
      html`${publicKey(visit)}${secretKey(visit)}
        <section aria-labelledby="tokens">
          <h2 id="tokens">Access tokens</h2>
          <p>Tokens are limited by scope and time. Use one for each script or agent.</p>
          <div data-region="tokens">${tokens.length === 0 ? noTokens(visit) : table(tokens, visit, Date.now())}</div>
        </section>
        ${may(visit, 'admin') && creation(visit)}`,
    );
  });
}

function publicKey({ project }: ProjectVisit): Html {
  return html`<section aria-labelledby="public-key">
    <h2 id="public-key">Public key</h2>
    <p>Can only send events. Safe to use in web pages and apps.</p>
    ${snippet(project.publicKey, 'public key')}
  </section>`;
}

function secretKey(visit: ProjectVisit): Html {
  const api = projectApi(visit.project.id);
  return html`<section aria-labelledby="secret-key">
    <h2 id="secret-key">Secret key</h2>
    <p>Can send, query, export and erase. Keep it on servers, never in web pages.</p>
    <div class="snippet secret" data-secret="${api}">
      <pre tabindex="0" aria-label="secret key"><code>sk_••••••••••••••••••••••••••••••••</code></pre>
      <button type="button" class="copy" data-reveal aria-pressed="false" hidden>Show</button>
      <button type="button" class="copy" data-copy aria-label="Copy: secret key" hidden>Copy</button>
    </div>
    <div class="problem" role="alert" hidden></div>
    ${
      may(visit, 'admin') &&
      folded(
        'Replace this key',
        apiForm({
          method: 'POST',
          path: projectApi(visit.project.id, '/rotate-secret-key'),
          label: 'Rotate the secret key',
          fields: selectField({
            id: 'grace',
            name: 'grace',
            label: 'The old key stops working',
            options: GRACES,
            selected: '0h',
          }),
          submit: 'Rotate the secret key',
          look: 'danger',
          confirm: `Rotate the secret key of ${visit.project.name}? The old key stops working {grace}.`,
          done: 'Secret key rotated. The new one is shown for a minute: copy it.',
        }),
      )
    }
  </section>`;
}

function noTokens(visit: ProjectVisit): Html {
  return emptyState(
    'No tokens yet.',
    may(visit, 'admin')
      ? 'Create one below; for an agent that only runs queries, choose the query scope.'
      : 'An admin of this organization can create one.',
  );
}

function table(tokens: readonly Token[], visit: ProjectVisit, now: number): Html {
  const manages = may(visit, 'admin');
  const { shown, note } = firstRows(tokens, 'tokens');
  const rows = shown.map((token) => [
    html`${token.name} <code class="below">${token.prefix}…</code>`,
    html`${token.scopes.join(', ')}${!token.personal && html` <span class="badge">no personal data</span>`}`,
    expiry(token.expiresAt, now),
    token.lastUsedAt === null ? 'never' : day(token.lastUsedAt),
    breakable(token.createdBy),
    ...(manages ? [revocation(token)] : []),
  ]);
  const columns = [
    'name',
    { name: 'scopes', look: 'long' },
    { name: 'expires', look: 'long' },
    'last used',
    { name: 'created by', look: 'long' },
  ] as const;
  const revoke = manages ? [{ name: 'Revoke', isUnseen: true }] : [];
  return html`${dataTable({ label: 'Table of access tokens', columns: [...columns, ...revoke], rows, isNamed: true })}${note}`;
}

/** A week ahead it is time to make the next one. */
const SOON_MS = 7 * DAY_MS;

function expiry(at: number, now: number): Html {
  if (at <= now) return html`<span class="badge waiting">expired</span>`;
  if (at > now + SOON_MS) return html`${day(at)}`;
  const days = Math.ceil((at - now) / DAY_MS);
  return html`${day(at)} <span class="badge late">${days === 1 ? 'in a day' : `in ${days} days`}</span>`;
}

function revocation({ id, projectId, name }: Token): Html {
  return apiForm({
    method: 'DELETE',
    path: projectApi(projectId, `/tokens/${encodeURIComponent(id)}`),
    label: `Revoke ${name}`,
    submit: 'Revoke',
    look: 'quiet',
    confirm: `Revoke the token ${name}? Anything that uses it loses access within a second.`,
    done: `Token ${name} revoked.`,
  });
}

function creation({ project }: ProjectVisit): Html {
  return html`<section aria-labelledby="new-token" class="panel">
    <h2 id="new-token">New token</h2>
    ${apiForm({
      method: 'POST',
      path: projectApi(project.id, '/tokens'),
      label: 'New token',
      fields: html`${textField({ id: 'token-name', name: 'name', label: 'Name', hint: 'What will use this token?' })}
        <fieldset class="field" data-list="scopes">
          <legend>Scopes</legend>
          ${SCOPES.map(
            (scope) =>
              html`<label class="check"
                ><input type="checkbox" name="scopes" value="${scope}" ${scope === 'query' && html` checked`} />
                <span><strong>${scope}</strong> ${MEANING[scope]}</span></label
              >`,
          )}
        </fieldset>
        ${selectField({
          id: 'token-personal',
          name: 'personal',
          label: 'Personal data',
          hint: 'Without it, answers have no e-mail addresses, names, IP addresses or user agents, and hashes in place of ids.',
          options: PERSONAL,
          selected: 'true',
          isJson: true,
        })}
        ${selectField({ id: 'token-lifetime', name: 'expires_in', label: 'Lifetime', hint: 'Every token expires, so that a forgotten one does no harm.', options: LIFETIMES, selected: '90d' })}`,
      submit: 'Create token',
      look: 'primary',
      show: 'new-token-value',
      done: 'Token created. Copy it now: it is shown only once.',
    })}
    ${shownOnce('new-token-value', 'token', 'New token')}
  </section>`;
}
