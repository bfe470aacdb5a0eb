/** A project of the campaign: what was sent, what was acknowledged, and whether the server still has it. */

export interface Tenant {
  readonly id: string;
  readonly key: string;
  readonly sent: Set<number>;
  readonly acknowledged: Set<number>;
  /** Identifies, each of a different user. */
  readonly identified: Set<number>;
  /** Users `gone…` whose erasure was acknowledged. */
  readonly erased: Set<string>;
  next: number;
}

const EVER = 'from 2000-01-01 to 2100-01-01';
const BATCH = 5;

export type Answer = { readonly status: number; readonly body: unknown } | null;

/** The answer; null if the server was gone. */
export function post(url: string, key: string, path: string, body: unknown): Promise<Answer> {
  return ask(`${url}/${path}`, key, { method: 'POST', body: JSON.stringify(body) });
}

async function ask(url: string, key: string, init: { method: string; body?: string }): Promise<Answer> {
  try {
    const answer = await fetch(url, { ...init, headers: { 'X-API-Key': key, 'Content-Type': 'application/json' } });
    return { status: answer.status, body: await answer.json() };
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return null; // a broken connection
    throw error;
  }
}

/** Sends until the server is gone: every batch twice, as a retry would, and now and then an identify, a query and an erasure. */
export async function load(url: string, tenant: Tenant, { erases }: { readonly erases: boolean }): Promise<void> {
  for (;;) {
    const numbers = Array.from({ length: BATCH }, () => tenant.next++);
    for (const n of numbers) tenant.sent.add(n);
    const events = numbers.map((n) => ({
      ...{ event_type: 'e', user_id: `u${n % 17}`, insert_id: `id-${n}` },
      event_properties: { n, text: `text ${n}` },
    }));
    const answers = await Promise.all([0, 1].map(() => post(url, tenant.key, 'track', { events })));
    if (answers.some((answer) => answer?.status === 200)) for (const n of numbers) tenant.acknowledged.add(n);
    const [n = 0] = numbers;
    const identify = { user_id: `p${n}`, user_property_ops: { $add: { times: 1 } } };
    if (n % 3 === 0 && (await post(url, tenant.key, 'identify', identify))?.status === 200) tenant.identified.add(n);
    if (n % 4 === 0) await post(url, tenant.key, 'query', { q: `e | ${EVER} | count` });
    if (erases && n % 4 === 0) await comeAndGo(url, tenant, `gone${n}`);
    if (answers.every((answer) => answer === null)) return;
    if (answers.some((answer) => answer?.status !== 200)) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Adds a user and erases them: this rewrites the journal while others' events are being added to it. */
async function comeAndGo(url: string, { key, erased }: Tenant, user: string): Promise<void> {
  await post(url, key, 'track', { event_type: 'visit', user_id: user });
  const answer = await ask(`${url}/api/gdpr/users/${user}`, key, { method: 'DELETE' });
  if (answer?.status === 200) erased.add(user);
}

/** Compares what a server has of a tenant with what it should have. */
export interface Verdict {
  /** Answered with 503: the server itself reports that something is wrong. */
  readonly refused: boolean;
  readonly lost: number;
  readonly doubled: number;
  /** Events that nobody sent, identifies counted twice, users who were erased. */
  readonly wrong: number;
}

export async function judge(url: string, tenant: Tenant): Promise<Verdict> {
  const events = await rows(url, tenant.key, `e | ${EVER} | count by event_properties.n`);
  const profiles = await rows(
    url,
    tenant.key,
    `users | ${EVER} | where user.times exists | count by user_id, user.times`,
  );
  const visits = await rows(url, tenant.key, `visit | ${EVER} | count by user_id`);
  if (events === null || profiles === null || visits === null) return { refused: true, lost: 0, doubled: 0, wrong: 0 };
  const stored = new Map(events.map((row) => [Number(row['event_properties.n']), Number(row['count'])]));
  const times = new Map(profiles.map((row) => [row['user_id'], Number(row['user.times'])]));
  const back = visits.filter((row) => tenant.erased.has(String(row['user_id']))).length;
  const count = <T>(all: Iterable<T>, is: (one: T) => boolean): number => [...all].filter(is).length;
  return {
    refused: false,
    lost: count(tenant.acknowledged, (n) => !stored.has(n)) + count(tenant.identified, (n) => !times.has(`p${n}`)),
    doubled: count(stored.values(), (copies) => copies !== 1),
    wrong: count(stored.keys(), (n) => !tenant.sent.has(n)) + count(times.values(), (each) => each !== 1) + back,
  };
}

/** null if refused. */
async function rows(url: string, key: string, q: string): Promise<Record<string, unknown>[] | null> {
  for (let tries = 0; ; tries++) {
    const answer = await post(url, key, 'query', { q, format: 'json', limit: 10_000 });
    if (answer?.status === 200) return answer.body as Record<string, unknown>[];
    if (answer?.status === 503) return null;
    if (tries === 20) throw new Error(`${q}: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
