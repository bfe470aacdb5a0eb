import { localUrl } from '../../base/address.ts';
import { readConfig } from '../../base/config/config.ts';
import type { ControlDatabase } from '../../control/database.ts';
import { isoTime } from '../../base/day.ts';
import { runningAddress } from '../../control/process/data-lock.ts';
import { type Organization, type Role, ROLES } from '../../control/types.ts';
import { UsageError, optional, required } from '../command.ts';
import { recordText } from '../text.ts';
import { type CommandResult, controlCommand } from './admin-command.ts';
import { operatorOrgPath, type RemoteHost } from './remote-host.ts';
import { checkEmail } from '../../control/accounts/email.ts';

export const loginLink = controlCommand({
  usage: 'login-link',
  summary: 'Print a link that logs someone in once, within 10 minutes, without a login provider',
  examples: [
    ['wl admin login-link --email ada@example.com', 'a link for Ada, who becomes the owner of a new host'],
    ['wl admin login-link --email ada@example.com --org org_… --role admin', 'and she joins that organization'],
  ],
  options: {
    email: required('E-mail address of the account'),
    org: optional('Id of the organization to join (default: the only one, if it has no members)'),
    role: { choices: ROLES, requiresArg: true, describe: 'Role in that organization (default: owner)' },
    url: optional(
      "Public address of the service (default: WINDLASS_URL, else the running server's, else http:// and WINDLASS_ADDR)",
    ),
  },
  run: async ({ email, org, role, url }, control, { data }) => {
    const { addr, url: publicUrl } = readConfig(process.env, { url });
    const organization = org === undefined ? await ownerless(control) : await control.organizations.get(org);
    const given = givenRole(role, organization);
    const grant = organization === null ? null : { orgId: organization.id, role: given };
    const { token, expiresAt } = await control.logins.createLink(email, grant);
    const json = {
      url: `${publicUrl ?? runningAddress(data) ?? localUrl(addr)}/auth/link?token=${token}`,
      expires_at: isoTime(expiresAt),
    };
    return linked(json, organization, given);
  },
  remote: async ({ email, org, role, url }, host) => {
    if (url !== undefined) throw new UsageError('--url and --host contradict each other: a host knows its own address');
    const organization =
      org === undefined ? await ownerlessAt(host) : await host.ask<Joined>('GET', operatorOrgPath(org));
    const given = givenRole(role, organization);
    const body = { email, ...(organization === null ? {} : { org_id: organization.id, role: given }) };
    return linked(await host.ask('POST', '/login-links', { body }), organization, given);
  },
});

type Joined = Pick<Organization, 'id' | 'name'>;

function givenRole(role: Role | undefined, organization: Joined | null): Role {
  if (role !== undefined && organization === null) throw new UsageError('--role needs --org');
  return role ?? 'owner';
}

function linked(
  { url, expires_at }: { readonly url: string; readonly expires_at: string },
  organization: Joined | null,
  role: Role,
): CommandResult {
  const joins = organization === null ? 'nothing new' : `${organization.name} (${organization.id}) as ${role}`;
  return { json: { url, expires_at }, text: recordText({ url, expires_at, joins }) };
}

/** The organization that a first start created: the only one, as long as it has no members. */
async function ownerless(control: ControlDatabase): Promise<Organization | null> {
  const [first, second] = await control.organizations.list();
  return first !== undefined && second === undefined && (await control.members.list(first.id)).length === 0
    ? first
    : null;
}

async function ownerlessAt(host: RemoteHost): Promise<Joined | null> {
  const [first, second] = await host.firstTwo();
  if (first === undefined || second !== undefined) return null;
  const members = await host.ask<readonly object[]>('GET', `${operatorOrgPath(first.id)}/members`);
  return members.length === 0 ? first : null;
}

export const logout = controlCommand({
  usage: 'logout',
  summary: 'End all sessions of an e-mail address, and revoke its unused login links',
  examples: [['wl admin logout --email ada@example.com', 'after a laptop is stolen: its cookie stops working at once']],
  options: {
    email: required('E-mail address of the account'),
  },
  run: async ({ email }, control) => {
    const address = checkEmail(email);
    return loggedOut({ email: address, sessions_ended: await control.sessions.endOfAddress(address) });
  },
  remote: async ({ email }, host) => loggedOut(await host.ask('DELETE', '/sessions', { body: { email } })),
});

const loggedOut = (json: { readonly email: string; readonly sessions_ended: number }): CommandResult => ({
  json,
  text: recordText(json),
});
