import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { CONTROL_FILE, ControlDatabase } from '../../lib/control/database.ts';
import type { HostEvent } from '../../lib/control/types.ts';
import { MAX_MESSAGE_AGE, type WebhookMessages } from '../../lib/control/operator/webhook-messages.ts';
import { AppError } from '../../lib/base/errors.ts';
import { silentLog } from '../../lib/base/log.ts';
import { nextTry, Webhooks } from '../../lib/webhooks/webhooks.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const DAY = 86_400_000;
const BY = { name: 'test', ip: null };
const news = (...keys: string[]): Map<string, HostEvent> =>
  new Map(keys.map((key) => [key, { type: 'damage.found', data: { where: 'shard', project_id: `prj_${key}` } }]));

describe('messages for the host', () => {
  let clock = Date.now();
  const folder = temporaryFolder();
  let control: ControlDatabase;
  let messages: WebhookMessages;
  before(async () => {
    control = await ControlDatabase.open(folder, { secret: null, now: () => clock });
    messages = control.operator.webhooks;
  });
  after(() => control.close());
  const end = async (): Promise<void> => {
    for (let next = await messages.next(); next !== null; next = await messages.next())
      await messages.tried(next.id, { answer: '200', delivered: true, dueAt: null });
  };

  it('are made once for a key, and only while there is room, which is said', async () => {
    expect(await messages.addOnce(news('a', 'b', 'c'), 2)).to.deep.equal(['a', 'b']);
    expect(await messages.addOnce(news('c'), 2)).to.deep.equal([]);
    await end();
    expect(await messages.addOnce(news('a', 'c'), 2)).to.deep.equal(['a', 'c']);
    expect((await messages.list(10)).map(({ state }) => state)).to.have.members(['waiting', 'delivered', 'delivered']);
    clock += 63 * DAY;
    await end();
    expect(await messages.addOnce(news('a'), 2)).to.deep.equal(['a']);
    expect((await messages.waiting()).count, 'told anew, two months later').to.equal(1);
    await end();
  });

  it('are taken by one of several processes at a time: by another when it was given back, or not heard of for long', async () => {
    const other = (await ControlDatabase.open(folder, { secret: null, now: () => clock })).operator.webhooks;
    await messages.addOnce(news('taken', 'taken too'), 10);
    const [mine, others, none] = [await messages.next(), await other.next(), await messages.next()];
    expect([mine?.id === others?.id, none]).to.deep.equal([false, null]);
    await messages.release(mine?.id ?? '');
    expect((await other.next())?.id).to.equal(mine?.id);
    expect(await messages.next()).to.equal(null);
    clock += 31_000;
    expect([(await messages.next())?.id, (await messages.next())?.id]).to.have.members([mine?.id, others?.id]);
    clock += 31_000;
    await end();
  });

  it('are made of what the audit trail says from the first look on, but not of what is too old', async () => {
    await control.ensureDefaults(BY);
    await messages.addAudited(10);
    expect(await messages.next(), 'of before the first look').to.equal(null);
    const orgId = (await control.organizations.list())[0]!.id;
    await control.projects.create(orgId, 'Old', BY);
    clock += MAX_MESSAGE_AGE + 1;
    const { id } = (await control.projects.create(orgId, 'New', BY)).project;
    await messages.addAudited(10);
    expect((await messages.waiting()).count).to.equal(1);
    expect((await messages.next())?.body).to.include(id);
    await messages.addAudited(10);
    expect((await messages.waiting()).count).to.equal(1);
    clock += 31_000;
    await end();
  });

  it('are made once of the audit trail, however many processes look at it', async () => {
    const { organizations, projects, operator } = await ControlDatabase.open(folder, {
      secret: null,
      now: () => clock,
    });
    await Promise.all([messages.addAudited(10), operator.webhooks.addAudited(10)]);
    const { id } = (await organizations.create('Watched')).organization;
    for (const name of ['A', 'B']) {
      await projects.create(id, name, BY);
      await Promise.all([messages.addAudited(10), operator.webhooks.addAudited(10)]);
    }
    expect((await messages.waiting()).count).to.equal(2);
    await end();
  });

  it('list the last thousand that have ended, and all that wait', async () => {
    const many = Array.from({ length: 1_010 }, (_, n) => `many${n}`);
    await messages.addOnce(news(...many), 2_000);
    const file = new Database(join(folder, CONTROL_FILE));
    file.exec('UPDATE webhook_messages SET delivered = 1, due_at = NULL, tried_at = 1'); // saves a thousand syncs
    file.close();
    await messages.addOnce(news('last'), 2_000);
    await end();
    await messages.addOnce(news('waits'), 2_000);
    const states = (await messages.list(5_000)).map(({ state }) => state);
    expect(states.filter((state) => state === 'delivered')).to.have.length(1_000);
    expect(states.filter((state) => state === 'waiting')).to.have.length(1);
    await end();
  });

  it('tell of damage of a shard that is known, and of no other trouble', async () => {
    const receiver = { url: 'http://127.0.0.1:1', secret: Buffer.alloc(24), allowPrivate: true };
    const webhooks = new Webhooks({ messages, receiver, queue: 10, pause: 5_000, log: silentLog() });
    const project = `prj_${'a'.repeat(22)}`;
    const troubles = [
      new Error(`shard ${project}`),
      new AppError('storage_unavailable', 'full', { cause: `shard ${project}` }),
      new AppError('shard_damaged', 'cannot be written at the moment'),
      new AppError('shard_damaged', 'damaged', { cause: `shard ${project}.db: no such table` }),
      new AppError('shard_damaged', 'damaged', { cause: 'run 7 is missing' }),
    ];
    for (const trouble of troubles) webhooks.trouble(trouble, 'prj_of_request');
    await webhooks.close();
    const projects: string[] = [];
    for (let next = await messages.next(); next !== null; next = await messages.next()) {
      projects.push((JSON.parse(next.body) as { data: { project_id: string } }).data.project_id);
      await messages.tried(next.id, { answer: '200', delivered: true, dueAt: null });
    }
    expect(projects).to.deep.equal([project, 'prj_of_request']);
  });
});

describe('the next try of a webhook', () => {
  it('comes after 5 s, then six times as late each, at most 12 hours, up to ten tries', () => {
    const madeAt = 1_000_000;
    const pauses = Array.from({ length: 11 }, (_, tries) => {
      const next = nextTry({ tries, madeAt }, { pause: 5_000, now: madeAt, random: 0 });
      return next === null ? null : (next - madeAt) / 1_000;
    });
    expect(pauses).to.deep.equal([5, 30, 180, 1_080, 6_480, 38_880, 43_200, 43_200, 43_200, null, null]);
  });

  it('is a little later by chance, and none after three days', () => {
    const now = 10 * DAY;
    expect(nextTry({ tries: 0, madeAt: now }, { pause: 4_000, now, random: 1 })).to.equal(now + 5_000);
    const tried = (madeAt: number): number | null => nextTry({ tries: 0, madeAt }, { pause: 4_000, now, random: 0 });
    expect(tried(now - 3 * DAY + 4_000)).to.equal(now + 4_000);
    expect(tried(now - 3 * DAY + 3_999)).to.equal(null);
  });
});
