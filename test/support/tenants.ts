/** Organizations of a test service with people, keys and tokens, made as by `wl admin`: next to the running server. */
import { ControlDatabase } from '../../lib/control/database.ts';
import type { Role, Scope } from '../../lib/control/types.ts';
import { fetch } from './checked-fetch.ts';
import type { TestService } from './service.ts';

const BY = { name: 'test', ip: null };

/** An organization with one project and all credentials for it. */
export interface Tenant {
  readonly orgId: string;
  readonly adminKey: string;
  readonly projectId: string;
  readonly projectName: string;
  readonly publicKey: string;
  readonly secretKey: string;
  /** A token of each scope. */
  readonly tokens: Readonly<Record<Scope, { readonly id: string; readonly key: string }>>;
  /** Cookie headers of people, one for each role. */
  readonly cookies: Readonly<Record<Role, string>>;
}

/** The credentials of a request. `cookie` comes with the `Origin` that a page of the service would send. */
export interface Sender {
  readonly key?: string;
  readonly cookie?: string;
}

export async function makeTenant(test: TestService, name: string): Promise<Tenant> {
  const control = await ControlDatabase.open(test.folder, { secret: null });
  try {
    const { organization, adminKey } = await control.organizations.create(name);
    const projectName = `${name} project`;
    const { project, secretKey } = await control.projects.create(organization.id, projectName, BY);
    const token = async (scope: Scope): Promise<{ id: string; key: string }> => {
      const made = await control.tokens.create(
        { projectId: project.id, name: `${name} ${scope}`, scopes: [scope] },
        BY,
      );
      return { id: made.token.id, key: made.key };
    };
    const person = async (role: Role): Promise<string> => {
      const email = `${role}@${name.toLowerCase()}.example`;
      return logIn(test, (await control.logins.createLink(email, { orgId: organization.id, role })).token);
    };
    return {
      ...{ orgId: organization.id, adminKey, projectId: project.id, projectName },
      ...{ publicKey: project.publicKey, secretKey },
      tokens: {
        track: await token('track'),
        query: await token('query'),
        admin: await token('admin'),
        dashboards: await token('dashboards'),
      },
      cookies: {
        viewer: await person('viewer'),
        member: await person('member'),
        admin: await person('admin'),
        owner: await person('owner'),
      },
    };
  } finally {
    await control.close();
  }
}

/** Uses a one-time link; returns the session cookies as a browser sends them. */
async function logIn({ url }: TestService, token: string): Promise<string> {
  const body = new URLSearchParams({ token });
  const response = await fetch(`${url}/auth/link`, {
    method: 'POST',
    body,
    headers: { Origin: url },
    redirect: 'manual',
  });
  const cookies = response.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  if (!cookies.some((cookie) => cookie.startsWith('wl_session='))) throw new Error(`no session: ${response.status}`);
  return cookies.join('; ');
}

/** Sends a request with a JSON body (a string is sent as it is). */
export function send(
  { url }: Pick<TestService, 'url'>,
  [method, path]: readonly [method: string, path: string],
  { key, cookie }: Sender = {},
  body?: unknown,
): Promise<Response> {
  const headers: Record<string, string> = {
    ...(key === undefined ? {} : { 'X-API-Key': key }),
    ...(cookie === undefined ? {} : { Cookie: cookie, Origin: url }),
  };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(url + path, { method, headers, ...(body === undefined ? {} : { body: text }) });
}
