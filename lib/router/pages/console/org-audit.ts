/** GET /console/orgs/{orgID}/audit: who did what, newest first, a page at a time. */
import type { RequestHandler } from '../../http/request.ts';
import type { AuditPage } from '../../../control/audit.ts';
import type { AuditAction, AuditEntry, Changes } from '../../../control/types.ts';
import { queryParameters } from '../../http/query-string.ts';
import { minute } from '../figures.ts';
import { type Html, html } from '../html.ts';
import { emptyState } from './console-layout.ts';
import { breakable, dataTable } from './data-table.ts';
import { orgPage } from './org-pages.ts';
import { orgPath } from './paths.ts';
import { forMembers, type Visiting } from './visit.ts';

const WORDS: Readonly<Record<AuditAction, string>> = {
  login: 'logged in',
  'key.rotate': 'rotated a key',
  'token.create': 'created a token',
  'token.revoke': 'revoked a token',
  'member.invite': 'invited a member',
  'member.join': 'accepted an invitation',
  'member.decline': 'declined an invitation',
  'member.remove': 'removed a member',
  'project.create': 'created a project',
  'project.update': 'changed a project',
  'project.delete': 'deleted a project',
  'project.suspend': 'suspended a project',
  'project.resume': 'resumed a project',
  'project.export': 'exported a project',
  'project.import': 'imported a project',
  'project.restore': 'restored a project',
  'org.update': 'changed the organization',
  'org.suspend': 'suspended the organization',
  'org.resume': 'resumed the organization',
  'org.delete': 'deleted the organization',
  'limits.update': 'changed the limits',
  'user.export': 'exported a user',
  'user.erase': 'erased a user',
  'user.erase_failed': 'could not erase a user',
  'dashboard.write': 'changed a dashboard',
  'cohort.write': 'changed a cohort',
};

export function orgAudit(context: Visiting): RequestHandler {
  return forMembers(context, 'admin', async (visit) => {
    const cursor = queryParameters(visit.request).get('cursor');
    const asked = cursor === null ? {} : { cursor };
    const audit = await context.control.audit.page(visit.organization.id, { limit: 50, ...asked });
    const { tokens, projects } = context.control;
    const ids = [...new Set(audit.entries.map(({ target }) => idIn(target)))];
    const names = new Map([...(await tokens.names(ids)), ...(await projects.names(visit.organization.id, ids))]);
    const path = orgPath(visit.organization.id, 'audit');
    return orgPage(
      visit,
      'audit',
      html`<section aria-labelledby="audit">
        <h2 id="audit">Audit trail</h2>
        <p>Entries cannot be changed or deleted. Erased users appear as a hash.</p>
        ${audit.entries.length === 0 ? emptyState('No entries yet.', 'Logins and changes to keys, tokens, members and users will appear here.') : table(audit.entries, names)}
        ${pages(path, cursor !== null, audit)}
      </section>`,
    );
  });
}

/** @param names Of existing projects and tokens, by id. */
function table(entries: readonly AuditEntry[], names: ReadonlyMap<string, string>): Html {
  const rows = entries.map(({ at, actor, action, target, ip, changes }) => [
    html`<time datetime="${new Date(at).toISOString()}">${minute(at)}</time>`,
    breakable(actor),
    WORDS[action],
    html`${named(target, names)}${changes !== null && changed(changes)}`,
    ip ?? NO_ADDRESS.get(action) ?? 'the server',
  ]);
  const columns = [
    'when (UTC)',
    { name: 'who', look: 'long' },
    'action',
    { name: 'target', look: 'long' },
    'address',
  ] as const;
  return dataTable({ label: 'Table of the audit trail', columns, rows });
}

/** Of whom it is not told: only owners' addresses are. */
const NO_ADDRESS: ReadonlyMap<AuditAction, string> = new Map([
  ['login', '–'],
  ['member.join', '–'],
  ['member.decline', '–'],
]);

function changed(changes: Changes): Html {
  return html`<ul class="changes">
    ${Object.entries(changes).map(([name, { from, to }]) => html`<li>${name}: ${from ?? 'none'} → ${to ?? 'none'}</li>`)}
  </ul>`;
}

/** A target, with the name of the token or project that it is or belongs to. */
function named(target: string, names: ReadonlyMap<string, string>): Html {
  const name = names.get(idIn(target));
  return html`${name !== undefined && html`${name} `}<code>${target}</code>`;
}

/** A target is an id, or one with what in it is meant. */
const idIn = (target: string): string => /^[^/]*/.exec(target)![0];

function pages(path: string, later: boolean, { nextCursor }: AuditPage): Html {
  return html`<nav class="pages" aria-label="Pages of the audit trail">
    ${
      later && html`<a class="button" href="${path}">Newest</a>`
    }${nextCursor !== null && html` <a class="button" rel="next" href="${path}?cursor=${encodeURIComponent(nextCursor)}">Older</a>`}
  </nav>`;
}
