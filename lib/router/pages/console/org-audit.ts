/** GET /console/orgs/{orgID}/audit: who did what, newest first, a page at a time, by who, what and when. */
import type { RequestHandler } from '../../http/request.ts';
import type { AuditPage } from '../../../control/audit.ts';
import type { AuditAction, AuditEntry } from '../../../control/types.ts';
import { AppError } from '../../../base/errors.ts';
import { auditFilter } from '../../audit-filter.ts';
import { queryParameters } from '../../http/query-string.ts';
import { minute } from '../figures.ts';
import { type Html, html } from '../html.ts';
import { selectField, textField } from './api-form.ts';
import { actorText, type AuditNames, idsIn, sentenceOf } from './audit-sentence.ts';
import { emptyState } from './console-layout.ts';
import { dataTable } from './data-table.ts';
import { orgPage } from './org-pages.ts';
import { orgApi, orgPath } from './paths.ts';
import { forMembers, type Visiting } from './visit.ts';

/** What somebody looks for; the names are those of the API's parameters. */
interface Wanted {
  readonly actor: string;
  readonly action: string;
  readonly from: string;
  readonly to: string;
}

export function orgAudit(context: Visiting): RequestHandler {
  return forMembers(context, 'admin', async (visit) => {
    const { id } = visit.organization;
    const asked = queryParameters(visit.request);
    const [actor = '', action = '', from = '', to = ''] = NAMES.map((name) => asked.get(name) ?? '');
    const wanted = { actor: actor.trim(), action, from, to };
    const cursor = asked.get('cursor');
    const { page: audit, problem } = await find(context, id, wanted, cursor);
    const ids = idsIn(audit.entries);
    const { tokens, projects } = context.control;
    const names = new Map([...(await tokens.names(ids)), ...(await projects.names(id, ids))]);
    return orgPage(
      visit,
      'audit',
      html`<section aria-labelledby="audit">
        <h2 id="audit">Audit trail</h2>
        <p>Entries cannot be changed or deleted. People who were erased appear as a hash.</p>
        ${filterForm(id, wanted)} ${problem !== null && html`<p class="notice wrong" role="alert">${problem}</p>`}
        ${audit.entries.length === 0 ? nothing(wanted) : table(audit.entries, names)}
        ${pages(orgPath(id, 'audit'), wanted, cursor !== null, audit)}
        ${problem === null && audit.entries.length > 0 && html`<p><a href="${orgApi(id, '/audit')}?${parametersOf(wanted, { format: 'csv' })}" download>Download as CSV</a></p>`}
      </section>`,
    );
  });
}

const NAMES = ['actor', 'action', 'from', 'to'] as const;

/** A page of what is wanted; what is wrong with a date finds nothing and is told. */
async function find({ control }: Visiting, orgId: string, wanted: Wanted, cursor: string | null) {
  try {
    const given = new URLSearchParams(parametersOf(wanted, cursor === null ? {} : { cursor }));
    return { page: await control.audit.page(orgId, { ...auditFilter(given), limit: 50 }), problem: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.data.code !== 'bad_request') throw error;
    return { page: { entries: [], nextCursor: null }, problem: error.message };
  }
}

function parametersOf(wanted: Wanted, more: Readonly<Record<string, string>>): string {
  const given = Object.entries({ ...wanted, ...more }).filter(([, value]) => value !== '');
  return new URLSearchParams(given).toString();
}

/** Kinds of actions by their first part, in people's words. */
const KINDS = [
  ['', 'Everything'],
  ['login', 'Logins'],
  ['member', 'Members'],
  ['key', 'Keys'],
  ['token', 'Tokens'],
  ['project', 'Projects'],
  ['dashboard', 'Dashboards'],
  ['cohort', 'Cohorts'],
  ['question', 'Saved questions'],
  ['annotation', 'Annotations'],
  ['alert', 'Alerts and reports'],
  ['events', 'Deleted events'],
  ['user', 'People exported or erased'],
  ['org', 'The organization'],
  ['limits', 'Limits'],
] as const;

/** A plain form: what it asks for is in the address, which can be shared. */
function filterForm(orgId: string, { actor, action, from, to }: Wanted): Html {
  return html`<form class="filter" method="get" action="${orgPath(orgId, 'audit')}" aria-label="Filter of the audit trail">
    ${textField({ id: 'actor', name: 'actor', label: 'Who', value: actor, required: false, placeholder: 'ada@example.com' })}
    ${selectField({ id: 'action', name: 'action', label: 'What', options: KINDS, selected: action })}
    ${textField({ id: 'from', name: 'from', label: 'From (UTC)', type: 'date', value: from, required: false })}
    ${textField({ id: 'to', name: 'to', label: 'To (UTC)', type: 'date', value: to, required: false })}
    <div class="submit"><button class="plain">Show</button></div>
  </form>`;
} // prettier-ignore

function nothing(wanted: Wanted): Html {
  return parametersOf(wanted, {}) === ''
    ? emptyState('No entries yet.', 'Logins and changes to keys, tokens, members and projects will appear here.')
    : emptyState('Nothing found.', 'Choose a longer time, or leave out who or what.');
}

function table(entries: readonly AuditEntry[], names: AuditNames): Html {
  const rows = entries.map((entry) => [
    html`<time datetime="${new Date(entry.at).toISOString()}">${minute(entry.at)}</time>`,
    actorText(entry.actor, names),
    sentenceOf(entry, names),
    entry.ip ?? NO_ADDRESS.get(entry.action) ?? 'the server',
  ]);
  const columns = [
    'when (UTC)',
    { name: 'who', look: 'long' },
    { name: 'did what', look: 'sentence' },
    'from where',
  ] as const;
  return dataTable({ label: 'Table of the audit trail', columns, rows, isText: true });
}

/** Of whom it is not told: only owners' addresses are. */
const NO_ADDRESS: ReadonlyMap<AuditAction, string> = new Map([
  ['login', '–'],
  ['member.join', '–'],
  ['member.decline', '–'],
]);

function pages(path: string, wanted: Wanted, later: boolean, { nextCursor }: AuditPage): Html {
  const link = (more: Readonly<Record<string, string>>): string => `${path}?${parametersOf(wanted, more)}`;
  return html`<nav class="pages" aria-label="Pages of the audit trail">
    ${later && html`<a class="button" href="${link({})}">Newest</a>`}${
      nextCursor !== null && html` <a class="button" rel="next" href="${link({ cursor: nextCursor })}">Older</a>`
    }
  </nav>`;
}
