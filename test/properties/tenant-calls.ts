/** Random requests of one tenant, about its own things and another's. */
import fc from 'fast-check';
import { describeApi } from '../../lib/router/routes.ts';
import { record } from '../support/open-schemas.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Logins would only end the sessions used for the calls. */
const LEFT_OUT = /^\/auth\//;

/** Pages that show a tenant's data. */
const PAGES = [
  '/console',
  ...['', '/usage', '/members', '/audit', '/settings'].map((page) => `/console/orgs/{orgID}${page}`),
  ...['', '/keys', '/settings'].map((page) => `/console/projects/{projectID}${page}`),
];

/** Every endpoint and every page. */
const OPERATIONS = Object.entries(record(describeApi()['paths']))
  .flatMap(([path, item]) =>
    METHODS.filter((method) => method in record(item) && !LEFT_OUT.test(path)).map(
      (method): readonly [method: string, path: string] => [method.toUpperCase(), path],
    ),
  )
  .concat(PAGES.map((path) => ['GET', path]));

/** The names of a tenant's things; texts that only it has appear where others can name them. */
export interface Things {
  readonly orgId: string;
  readonly projectId: string;
  readonly projectName: string;
  readonly tokenId: string;
  readonly userId: string;
  readonly deviceId: string;
  readonly event: string;
}

/** Whose thing a call names in each position. */
export type Whose = 'own' | 'other' | 'nobody';

export interface Call {
  readonly operation: readonly [method: string, path: string];
  /** Which of the tenant's credentials, modulo their number; null: one that the endpoint accepts. */
  readonly credential: number | null;
  readonly inQuery: boolean;
  readonly whose: Readonly<Record<keyof Things, Whose>>;
  readonly body: number;
  readonly query: number;
}

const whose = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Whose>('other') },
  { weight: 4, arbitrary: fc.constant<Whose>('own') },
  { weight: 1, arbitrary: fc.constant<Whose>('nobody') },
);

export const tenantCall: fc.Arbitrary<Call> = fc.record({
  operation: fc.constantFrom(...OPERATIONS),
  credential: fc.option(fc.nat(99), { freq: 2 }),
  inQuery: fc.boolean(),
  whose: fc.record({
    ...{ orgId: whose, projectId: whose, projectName: whose, tokenId: whose },
    ...{ userId: whose, deviceId: whose, event: whose },
  }),
  body: fc.nat(99),
  query: fc.nat(99),
});

/** An authorized call of every endpoint with each of its bodies, about the other's things, on its own or on one's own paths. */
export function everyCall(): Call[] {
  const inside = { tokenId: 'other', userId: 'other', deviceId: 'other', event: 'other' } as const;
  return (['other', 'own'] as const).flatMap((place) =>
    OPERATIONS.flatMap((operation) => {
      const whose = { orgId: place, projectId: place, projectName: 'other', ...inside } as const;
      return bodiesFor(operation[1], operation[0]).map((_, body) => {
        return { operation, credential: null, inQuery: false, whose, body, query: body };
      });
    }),
  );
}

export const NOBODY: Things = {
  orgId: `org_${'A'.repeat(22)}`,
  projectId: `prj_${'A'.repeat(22)}`,
  projectName: 'Nobody',
  tokenId: `tok_${'A'.repeat(22)}`,
  userId: 'nobody',
  deviceId: 'no-device',
  event: 'no_event',
};

/** The path and body of a call, with the things it names. */
export function spell(
  { operation: [method, path], body, query }: Call,
  things: Things,
): { path: string; body?: unknown } {
  const ids = [
    ['{orgID}', things.orgId],
    ['{projectID}', things.projectId],
    ['{tokenID}', things.tokenId],
    ['{userID}', things.userId],
    ['{deviceID}', things.deviceId],
  ] as const;
  const filled = ids.reduce((text, [place, id]) => text.replace(place, encodeURIComponent(id)), path);
  if (method === 'GET') return { path: filled + pick(query, SEARCHES) };
  return { path: filled, body: pick(body, bodiesFor(path, method))(things) };
}

const SEARCHES = ['', '?from=2026-11-01', '?limit=1000', '?from=2020-01-01&to=2020-02-01', '?limit=2'];

type Body = (things: Things) => unknown;

/** Bodies mostly meant for the endpoint. */
function bodiesFor(path: string, method: string): readonly Body[] {
  if (path === '/query') return QUERIES.map((q) => (things) => ({ q: q(things), format: 'json', limit: 10_000 }));
  if (path === '/track') return [({ event, userId }) => ({ event_type: event, user_id: userId }), ({ deviceId }) => ({ events: [{ event_type: 'e', device_id: deviceId }] })];
  if (path === '/identify') return [({ userId, deviceId }) => ({ user_id: userId, device_id: deviceId, user_properties: { changed: true } })];
  if (path.endsWith('/members')) return [() => ({ email: 'guest@own.example', role: 'member' }), () => ({ email: 'guest@own.example', role: 'admin' })];
  if (method === 'DELETE') return [({ projectName: name }) => ({ project_name: name, project_name_confirm: name })];
  if (method === 'PATCH') return [() => ({ settings: { retention_days: 1, ip_policy: 'none' } })];
  if (path.endsWith('/tokens')) return [() => ({ name: 'new', scopes: ['query', 'admin'] })];
  return [() => ({ name: 'New' }), () => ({}), () => ({ grace: '1h' })];
} // prettier-ignore

const QUERIES: readonly ((things: Things) => string)[] = [
  () => '* | last 30d | list',
  () => '* | last 30d | count by event_type, distinct_id',
  () => 'users | list',
  () => 'inspect * | last 30d',
  () => 'fields | last 30d',
  () => 'sessions | last 30d | count',
  () => 'retention * | last 14d by day',
  ({ event }) => `${event} | last 30d | list`,
  ({ event }) => `funnel ${event} -> ${event} | last 7d`,
  ({ event }) => `inspect ${event} | last 30d`,
  ({ userId }) => `user ${JSON.stringify(userId)} | last 30d | list`,
  ({ deviceId }) => `* | last 30d | where device_id = ${JSON.stringify(deviceId)} | list`,
];

function pick<T>(index: number, [first, ...more]: readonly T[]): T {
  const all = [first, ...more];
  const found = all[index % all.length];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}
