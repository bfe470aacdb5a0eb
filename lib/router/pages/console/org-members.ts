/** GET /console/orgs/{orgID}/members: who may do what in an organization. */
import type { RequestHandler } from '../../http/request.ts';
import { type Member, ROLES } from '../../../control/types.ts';
import { day } from '../figures.ts';
import { type Html, html } from '../html.ts';
import { apiForm, selectField, textField } from './api-form.ts';
import { dataTable, facts, shortened } from './data-table.ts';
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
          <div data-region="members">${table(members, visit)}</div>
          ${facts(MEANING, 'roles')}
        </section>
        ${may(visit, 'admin') && invitation(visit, context.config.authProviders.length > 0)}`,
    );
  });
}

const MEANING = [
  [
    'viewer',
    'can query, and read usage, members and dashboards; cannot see e-mail addresses, profiles and the secret key, or create tokens',
  ],
  ['member', 'can read everything except the audit trail: also secret keys, which can export and erase users'],
  ['admin', 'can also manage projects, keys, tokens and members, and read the audit trail'],
  ['owner', 'can also rotate the admin key and appoint owners'],
] as const;

function table(members: readonly Member[], visit: OrgVisit): Html {
  const manages = may(visit, 'admin');
  const { shown, note } = shortened(members, 'members');
  const rows = shown.map((member, row) => {
    const isOwn = member.email === (visit.account.email ?? visit.account.id);
    return [
      html`${member.email}${isOwn && html` <span class="badge">you</span>`}`,
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

function invitation(visit: OrgVisit, hasProviders: boolean): Html {
  const joins = hasProviders
    ? 'Who has an account accepts it in the console. Others join when they first log in with this address, if their provider has verified it.'
    : 'Who has an account accepts it in the console. Others join when they first log in with this address. As this host has no login provider, its operator prints a link for them: wl admin login-link --email …';
  return html`<section aria-labelledby="invite" class="panel">
    <h2 id="invite">Invite a member</h2>
    <p>${joins} Windlass sends no e-mail: tell them yourself.</p>
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
