import { expect } from 'chai';
import { performance } from 'node:perf_hooks';
import { ControlDatabase } from '../../lib/control/database.ts';
import { tries } from '../support/campaign.ts';
import { fetch } from '../support/checked-fetch.ts';
import { residentOf } from '../support/resident.ts';
import { Served } from '../support/served.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Of the load. An hour: `WINDLASS_TEST_TIMES=450 WINDLASS_TEST_PATIENCE=90 npm test -- durability/resident`. */
const SECONDS = tries(8);
const PROJECTS = tries(8) > 1_000 ? 200 : 20;
const AT_ONCE = 4;
/** From then on, heaps have grown as far as V8 lets them, and what is left must be flat. Seconds. */
const LONG = 1_800;
/** How much heaps may still grow in a short run. KiB. */
const WARMING = 80 << 10;

const QUESTIONS = ['* | last 1d | count by day', 'users | count', 'sessions | last 1d | count', 'fields', 'inspect a'];

/** What a project gets in turn. */
const TURNS = ['track', 'track', 'query', 'identify', 'query', 'erase', 'track', 'export', 'query'] as const;

describe('the resident memory of a service', function () {
  this.timeout(SECONDS * 2_000 + 600_000);

  it('stays what it is under a mixed load of small projects with erasures', async () => {
    const folder = temporaryFolder();
    const control = await ControlDatabase.open(folder, { secret: null });
    const { organization } = await control.organizations.create('A');
    const keys: string[] = [];
    for (let nth = 0; nth < PROJECTS; nth++)
      keys.push((await control.projects.create(organization.id, `P${nth}`, { name: 'test', ip: null })).secretKey);
    await control.close();
    const served = new Served(folder, {
      WINDLASS_MEMORY: '128MiB',
      WINDLASS_QUERIES_PER_MINUTE: '0',
      WINDLASS_EVENTS_PER_MINUTE: '0',
      WINDLASS_ERASED_DEVICES: '0',
    });
    const url = await served.ready();
    const end = performance.now() + SECONDS * 1_000;
    let half = 0;
    let sent = 0;
    const send = async (key: string, method: string, path: string, body?: object): Promise<void> => {
      const init = { method, headers: { 'X-API-Key': key }, ...(body ? { body: JSON.stringify(body) } : {}) };
      const response = await fetch(url + path, init);
      expect(response.status, `${path} ${await response.text()}`).to.be.oneOf([200, 429]);
    };
    const load = async (worker: number): Promise<void> => {
      for (let turn = worker; performance.now() < end; turn++) {
        const [nth, key] = [sent++, keys[sent % PROJECTS]!];
        const ids = { user_id: `u${nth}`, device_id: `d${nth}` };
        const events = ['a', 'b', 'c'].map((type) => ({
          event_type: type,
          ...ids,
          event_properties: { page: `/p${nth}` },
        }));
        switch (TURNS[turn % TURNS.length]!) {
          case 'track':
            await send(key, 'POST', '/track', { events });
            break;
          case 'identify':
            await send(key, 'POST', '/identify', { ...ids, user_properties: { plan: 'pro', nth } });
            break;
          case 'query':
            await send(key, 'POST', '/query', { q: QUESTIONS[nth % QUESTIONS.length] });
            break;
          case 'erase':
            await send(key, 'POST', '/track', { events });
            await send(key, 'DELETE', `/api/gdpr/users/u${nth}`);
            break;
          case 'export':
            await send(key, 'GET', `/api/gdpr/users/u${nth - 1}/export`);
        }
        if (half === 0 && end - performance.now() < SECONDS * 500) half = residentOf(served.pid);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, (_, worker) => load(worker)));
    const last = residentOf(served.pid);
    served.kill('SIGTERM');
    await served.exited;
    const most = half * 1.1 + (SECONDS < LONG ? WARMING : 0);
    expect(last, `KiB after ${sent} requests in ${SECONDS} s, and ${half} after half of them`).to.be.below(most);
  });
});
