/** GET /console/orgs/{orgID}/audit: who did what, newest first, a page at a time. */
import type { RequestHandler } from 'express';
import type { AuditPage } from '../../../control/audit.ts';
import type { AuditAction, AuditEntry } from '../../../control/types.ts';
import type { RouterContext } from '../../context.ts';
import { queryParameters } from '../../http/query-string.ts';
import { minute } from '../figures.ts';
import { type Html, html } from '../html.ts';
import { emptyState } from './console-layout.ts';
import { breakable, dataTable } from './data-table.ts';
import { orgPage } from './org-pages.ts';
import { orgPath } from './paths.ts';
import { forMembers } from './visit.ts';

const PAGE = 50;

const WORDS: Readonly<Record<AuditAction, string>> = {
  login: 'logged in',
  'key.rotate': 'rotated a key',
  'token.create': 'created a token',
  'token.revoke': 'revoked a token',
  'member.invite': 'invited a member',
  'member.remove': 'removed a member',
  'project.create': 'created a project',
  'project.delete': 'deleted a project',
  'project.suspend': 'suspended a project',
  'project.resume': 'resumed a project',
  'project.export': 'exported a project',
  'project.import': 'imported a project',
  'project.restore': 'restored a project',
  'org.delete': 'deleted the organization',
  'user.export': 'exported a user',
  'user.erase': 'erased a user',
  'user.erase_failed': 'could not erase a user',
  'dashboard.write': 'changed a dashboard',
};

export function orgAudit(context: RouterContext): RequestHandler {
  return forMembers(context, 'admin', async (visit) => {
    const cursor = queryParameters(visit.request).get('cursor');
    const asked = cursor === null ? {} : { cursor };
    const audit = await context.control.audit.page(visit.organization.id, { limit: PAGE, ...asked });
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
  const rows = entries.map(({ at, actor, action, target, ip }) => [
    html`<time datetime="${new Date(at).toISOString()}">${minute(at)}</time>`,
    breakable(actor),
    WORDS[action],
    named(target, names),
    ip ?? 'the server',
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
