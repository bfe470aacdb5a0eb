/** GET /console/orgs/{orgID}/members: who may do what in an organization. */
import type { RequestHandler } from '../../http/request.ts';
import { type Member, type Role, ROLES } from '../../../control/types.ts';
import { day } from '../figures.ts';
import { type Html, html, snippet } from '../html.ts';
import { apiForm, selectField, textField } from './api-form.ts';
import { breakable, dataTable, firstRows } from './data-table.ts';
import { reaches } from '../../roles.ts';
import { orgPage } from './org-pages.ts';
import { CONSOLE, orgApi } from './paths.ts';
import { type OrgVisit, forMembers, may, type Visiting } from './visit.ts';

export function orgMembers(context: Visiting): RequestHandler {
  return forMembers(context, 'viewer', async (visit) => {
    const members = await context.control.members.list(visit.organization.id);
    return orgPage(
      visit,
      'members',
      html`<section aria-labelledby="members">
          <h2 id="members">Members</h2>
          <div data-region="members">${table(members, visit)}${loginLinks(members, visit, context.config)}</div>
          <h3>What each role may do</h3>
          ${powers()}
        </section>
        ${may(visit, 'admin') && invitation(visit, context.config)}`,
    );
  });
}

/** What members may do, and from which role on. */
const POWERS: readonly (readonly [what: string, from: Role])[] = [
  ['Ask questions; see dashboards, usage and members', 'viewer'],
  ['See e-mail addresses, profiles, keys and alerts', 'member'],
  ['Save dashboards, cohorts, questions, alerts and annotations', 'member'],
  ['Manage projects, settings, keys, tokens and members', 'admin'],
  ['Read the audit trail', 'admin'],
  ['Rotate the admin key; make and remove owners', 'owner'],
];

function powers(): Html {
  const rows = POWERS.map(([what, from]) => [
    what,
    ...ROLES.map((role) => (reaches(role, from) ? sign('✓', 'yes') : sign('–', 'no'))),
  ]);
  const roles = ROLES.map((name) => ({ name, look: 'tick' }) as const);
  return dataTable({ label: 'What each role may do', columns: ['may', ...roles], rows, isNamed: true });
}

const sign = (drawn: string, read: string): Html =>
  html`<span aria-hidden="true">${drawn}</span><span class="unseen">${read}</span>`;

function table(members: readonly Member[], visit: OrgVisit): Html {
  const manages = may(visit, 'admin');
  const { shown, note } = firstRows(members, 'members');
  const rows = shown.map((member, row) => {
    const isOwn = member.email === (visit.account.email ?? visit.account.id);
    return [
      html`${breakable(member.email)}${isOwn && html` <span class="badge">you</span>`}`,
      member.name,
      roleChoice(member, visit, row),
      member.joinedAt === null ? html`<span class="badge waiting">invited</span>` : day(member.joinedAt),
      isOwn ? leaving(visit) : manages && removal(member, visit),
    ];
  });
  const columns = [
    'address',
    'name',
    { name: 'role', look: 'role' },
    'joined',
    { name: 'Remove', isUnseen: true },
  ] as const;
  return html`${dataTable({ label: 'Table of members', columns, rows, isNamed: true })}${note}`;
}

/** Inviting a member again changes the role. Only owners make or remove owners. */
function roleChoice({ email, role }: Member, visit: OrgVisit, row: number): Html {
  if (!may(visit, 'admin') || (role === 'owner' && !may(visit, 'owner'))) return html`${role}`;
  return apiForm({
    method: 'POST',
    path: orgApi(visit.organization.id, '/members'),
    label: `Role of ${email}`,
    fields: html`<input type="hidden" name="email" value="${email}" />
      ${selectField({ id: `role-${row}`, name: 'role', label: `Role of ${email}`, labelUnseen: true, options: rolesFor(visit), selected: role })}`,
    submit: 'Change',
    look: 'quiet',
    done: `Role of ${email} changed.`,
    undone: `${email} has the former role.`,
  });
}

function rolesFor(visit: OrgVisit): readonly (readonly [string, string])[] {
  return ROLES.filter((role) => role !== 'owner' || may(visit, 'owner')).map((role) => [role, role] as const);
}

function removal({ email, status }: Member, { organization }: OrgVisit): Html {
  const isInvited = status === 'invited';
  const what = isInvited ? 'Revoke invitation' : 'Remove';
  return apiForm({
    method: 'DELETE',
    path: orgApi(organization.id, '/members'),
    label: `${what}: ${email}`,
    fields: html`<input type="hidden" name="email" value="${email}" />`,
    submit: what,
    look: 'quiet',
    confirm: isInvited
      ? `Revoke the invitation of ${email}? They can no longer join ${organization.name}.`
      : `Remove ${email}? Their role in ${organization.name} ends at once. Access tokens that they made, and keys that they have seen, keep working: revoke and rotate them.`,
    done: isInvited ? `Invitation of ${email} revoked.` : `${email} removed.`,
  });
}

function leaving({ account, organization }: OrgVisit): Html {
  return apiForm({
    method: 'DELETE',
    path: orgApi(organization.id, '/members'),
    label: `Leave ${organization.name}`,
    fields: html`<input type="hidden" name="email" value="${account.email ?? account.id}" />`,
    submit: 'Leave',
    look: 'quiet',
    confirm: `Leave ${organization.name}? Your role ends at once, and you need an invitation to return. Access tokens that you made keep working.`,
    go: CONSOLE,
    done: `You have left ${organization.name}.`,
  });
}

function invitation(visit: OrgVisit, config: Visiting['config']): Html {
  return html`<section aria-labelledby="invite" class="panel">
    <h2 id="invite">Invite a member</h2>
    ${howTheyJoin(config)}
    ${apiForm({
      method: 'POST',
      path: orgApi(visit.organization.id, '/members'),
      label: 'Invite a member',
      fields: html`<div class="fields">
        ${textField({ id: 'invite-email', name: 'email', label: 'E-mail address', type: 'email', maxLength: 254 })}
        ${selectField({ id: 'invite-role', name: 'role', label: 'Role', options: rolesFor(visit), selected: 'member' })}
      </div>`,
      submit: 'Invite',
      look: 'primary',
      done: 'Invitation created.',
    })}
  </section>`;
}

/** Whoever has an account accepts in the console; others need a login, for which the host may have a provider, mail, or nothing. */
function howTheyJoin(config: Visiting['config']): Html {
  const login = needsLinks(config)
    ? 'need a login link, which the operator of this host makes.'
    : 'join when they first log in with this address.';
  const told = config.smtpUrl === null ? 'This host sends no e-mail: tell them yourself.' : 'They get an e-mail.';
  return html`<p>Whoever has an account accepts in the console. Others ${login} ${told}</p>`;
}

const needsLinks = ({ authProviders, mailLogin }: Visiting['config']): boolean =>
  authProviders.length === 0 && !mailLogin;

/** Commands shown at once. */
const MOST_LINKS = 5;

/** Where nobody can log in by themselves: what the operator runs for those who are invited. */
function loginLinks(members: readonly Member[], visit: OrgVisit, config: Visiting['config']): Html | null {
  const invited = members.filter(({ status }) => status === 'invited');
  if (invited.length === 0 || !may(visit, 'admin') || !needsLinks(config)) return null;
  return html`<p>To let invited people in who have no account, run on the server:</p>
    ${invited.slice(0, MOST_LINKS).map(({ email }) => snippet(`wl admin login-link --email ${inShell(email)}`, `login link for ${email}`))}`;
}

/** A text as one word of a shell, quoted where it must be. */
function inShell(text: string): string {
  return /^[\w.@+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
