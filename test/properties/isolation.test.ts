import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { DAY_MS } from '../../lib/base/day.ts';
import fc from 'fast-check';
import { isRecord } from '../support/open-schemas.ts';
import type { TestService } from '../support/service.ts';
import { startTestService } from '../support/service.ts';
import { makeTenant, send, type Sender, type Tenant } from '../support/tenants.ts';
import { runs, replay } from './settings.ts';
import { everyCall, NOBODY, spell, tenantCall, type Call, type Things } from './tenant-calls.ts';

const NO_LIMITS = {
  WINDLASS_AUTH_FAILURES_PER_MINUTE: '0',
  WINDLASS_EVENTS_PER_MINUTE: '0',
  WINDLASS_QUERIES_PER_MINUTE: '0',
};

/** A tenant with data; every text in it begins with the tenant's word. */
interface Settled {
  readonly tenant: Tenant;
  readonly things: Things;
  /** What it has sent: a name sent in a request may come back, even if unknown. */
  readonly said: string[];
}

describe('tenants', () => {
  let test: TestService;
  let other: Settled;
  /** The test may run past midnight. */
  const [today, tomorrow] = [0, DAY_MS].map((ahead) => new Date(Date.now() + ahead).toISOString().slice(0, 10));
  before(async () => {
    test = await startTestService(NO_LIMITS);
    other = await settle('Zebra');
  });
  after(() => test.stop());

  it('never see or change anything of each other, whatever they ask and whatever they know', async () => {
    let before = await view(other.tenant);
    const counted = (): number => before.join('').match(/"events_stored":4/g)?.length ?? 0;
    // In the project, the organization and the organization's month.
    for (; counted() < 3; before = await view(other.tenant)) await sleep(50);
    expect(before.join('').match(/zebra/gi)?.length, 'there is something to see').to.be.above(20);
    const expectUnchanged = async (): Promise<void> => {
      for (const [at, seen] of (await view(other.tenant)).entries()) expect(seen).to.equal(before[at]);
    };
    const first = await settle('Own');
    for (const call of everyCall()) await ask(first, call);
    await expectUnchanged();
    await fc.assert(
      fc.asyncProperty(fc.array(tenantCall, { minLength: 10, maxLength: 40 }), async (calls) => {
        const own = await settle('Own');
        for (const call of calls) await ask(own, call);
        await expectUnchanged();
      }),
      { numRuns: runs(8), ...replay() },
    );
  });

  /** Makes a call with a credential of `own`; fails if the answer contains what only the other has. */
  async function ask(own: Settled, call: Call): Promise<void> {
    const things = named(own.things, call);
    const { path, body } = spell(call, things);
    const sender = credentialOf(own.tenant, call);
    const asked = call.inQuery && sender.key !== undefined ? withKey(path, sender.key) : path;
    const headers = call.inQuery && sender.key !== undefined ? {} : sender;
    const response = await send(test, [call.operation[0], asked], headers, body);
    const answer = JSON.stringify([...response.headers]) + (await response.text());
    own.said.push(path + JSON.stringify(body ?? null));
    const what = `${call.operation.join(' ')} as ${JSON.stringify(sender)}: ${own.said.at(-1)} answered ${response.status} ${answer}`;
    expect(response.status, what).to.be.below(500);
    for (const secret of secretsOf(other)) {
      if (answer.includes(secret) && !own.said.some((text) => text.includes(secret)))
        expect.fail(`${secret} was told: ${what}`);
    }
  }

  async function settle(word: string): Promise<Settled> {
    const tenant = await makeTenant(test, word);
    const lower = word.toLowerCase();
    const [userId, deviceId, event] = [`${lower}-user`, `${lower}-device`, `${lower}_event`];
    const events = [1, 2, 3].map((n) => ({
      event_type: event,
      user_id: `${lower}-user`,
      session_id: `${lower}-session`,
      event_properties: { [`${lower}_key`]: `${lower}-value-${n}`, url: `https://${lower}.example/${n}` },
    }));
    const [key, identify] = [
      tenant.secretKey,
      { user_id: userId, device_id: deviceId, user_properties: { [`${lower}_trait`]: `${lower}-trait` } },
    ];
    for (const [path, body] of [
      ['/track', { events }],
      ['/track', { event_type: event, device_id: deviceId }],
      ['/identify', identify],
    ] as const) {
      expect((await send(test, ['POST', path], { key }, body)).status).to.equal(200);
    }
    const { orgId, projectId, projectName, tokens } = tenant;
    return {
      tenant,
      things: { orgId, projectId, projectName, tokenId: tokens.query.id, userId, deviceId, event },
      said: [],
    };
  }

  function named(own: Things, { whose }: Call): Things {
    const from = { own, other: other.things, nobody: NOBODY };
    return {
      orgId: from[whose.orgId].orgId,
      projectId: from[whose.projectId].projectId,
      projectName: from[whose.projectName].projectName,
      tokenId: from[whose.tokenId].tokenId,
      userId: from[whose.userId].userId,
      deviceId: from[whose.deviceId].deviceId,
      event: from[whose.event].event,
    };
  }

  /** Everything that a tenant can see of itself, except for what looking changes. */
  async function view({ orgId, projectId, secretKey, adminKey, cookies }: Tenant): Promise<string[]> {
    const owner = { cookie: cookies.owner };
    const usage = `/usage?from=${today}&to=${tomorrow}`;
    const pages = ['', '/members', '/audit', '/projects', usage].map((path) => `/api/orgs/${orgId}${path}`);
    const project = ['', '/tokens', usage, '/devices/zebra-device'].map((path) => `/api/projects/${projectId}${path}`);
    const seen = [...pages, ...project].map((path) => text(['GET', path], owner));
    const queries = ['* | last 30d | list', 'users | list', 'inspect * | last 30d'].map((q) =>
      text(['POST', '/query'], { key: secretKey }, { q, format: 'json' }),
    );
    const all = await Promise.all([
      ...seen,
      ...queries,
      text(['GET', `/api/admin/projects/${projectId}`], { key: adminKey }),
    ]);
    return all.map((body) => body.replaceAll(/"(?:queries_run|query_ms|bytes_stored)":\d+/g, ''));
  }

  async function text(call: readonly [string, string], sender: Sender, body?: unknown): Promise<string> {
    const response = await send(test, call, sender, body);
    if (!response.ok) expect.fail(`${call.join(' ')}: ${response.status} ${await response.text()}`);
    return response.text();
  }
});

/** Texts that only this tenant has; the fixed ones are never disclosed to anybody. */
function secretsOf({ tenant, things }: Settled): string[] {
  return [
    'zebra-value',
    'zebra_key',
    'zebra-session',
    'zebra-trait',
    'zebra_trait',
    'zebra.example',
    ...texts(tenant),
    ...texts(things),
  ];
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return isRecord(value) ? Object.values(value).flatMap(texts) : [];
}

function credentialOf(tenant: Tenant, { credential, operation: [, path] }: Call): Sender {
  const { publicKey, secretKey, adminKey, tokens, cookies } = tenant;
  if (credential === null) return fittingCredential(tenant, path);
  const keys = [publicKey, secretKey, adminKey, ...Object.values(tokens).map(({ key }) => key)].map((key) => ({ key }));
  const people = Object.values(cookies).map((cookie) => ({ cookie }));
  const all: Sender[] = [{}, ...keys, ...people, { key: secretKey, cookie: cookies.owner }];
  return all[credential % all.length] ?? {};
}

function fittingCredential({ secretKey, adminKey, cookies }: Tenant, path: string): Sender {
  if (path.startsWith('/api/admin/')) return { key: adminKey };
  return /^\/(?:console|api\/(?!gdpr\/))/.test(path) ? { cookie: cookies.owner } : { key: secretKey };
}

function withKey(path: string, key: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}key=${key}`;
}
