import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { silentLog } from '../../../lib/base/log.ts';
import { keptLog } from '../../support/kept-log.ts';
import { ProjectDeletions } from '../../../lib/router/project-deletions.ts';
import { newWorld, TESTER } from '../../control/open-control.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { filesWith } from '../../support/files-with.ts';
import { Served } from '../../support/served.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startTestService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { makeTenant, send, type Tenant } from '../../support/tenants.ts';
import { lastTwoDays } from '../../support/last-two-days.ts';

/** Appears in no file except where events of the deleted project are. */
const MARK = 'zebra-stripes-and-nothing-else';

let test: TestService;
before(async () => {
  test = await startTestService();
});
after(() => test.stop());

const shardOf = (folder: string, project: string): string => join(folder, 'shards', `${project}.db`);

function track({ secretKey }: Tenant, count: number): Promise<Response> {
  const events = Array.from({ length: count }, (_, n) => ({ event_type: 'e', user_id: `${MARK} ${n}` }));
  return send(test, ['POST', '/track'], { key: secretKey }, { events });
}

function remove({ projectId, projectName, adminKey }: Tenant, names: object = {}): Promise<Response> {
  const body = { project_name: projectName, project_name_confirm: projectName, ...names };
  return send(test, ['DELETE', `/api/admin/projects/${projectId}`], { key: adminKey }, body);
}

describe('deleting a project', () => {
  it('leaves no byte of its events in any file, and stops its keys, when it is answered', async () => {
    for (const way of ['/api/projects', '/api/admin/projects']) {
      const tenant = await makeTenant(test, 'Gone');
      const { projectId, projectName, adminKey, secretKey, publicKey, tokens, cookies } = tenant;
      expect((await track(tenant, 500)).status).to.equal(200);
      await send(test, ['POST', '/query'], { key: secretKey }, { q: 'e | count by user_id' });
      await track(tenant, 10);
      expect(filesWith(test.folder, MARK)).to.not.deep.equal([]);
      const body = { project_name: projectName, project_name_confirm: projectName };
      const deleted = await send(
        test,
        ['DELETE', `${way}/${projectId}`],
        { key: adminKey, cookie: cookies.admin },
        body,
      );
      expect([deleted.status, await deleted.json()]).to.deep.equal([200, { deleted: true, id: projectId }]);
      expect(filesWith(test.folder, MARK)).to.deep.equal([]);
      expect(filesWith(join(test.folder, 'shards'), projectId)).to.deep.equal([]);
      for (const key of [secretKey, publicKey, tokens.track.key]) {
        expect((await send(test, ['POST', '/track'], { key }, { event_type: 'late' })).status).to.equal(401);
      }
      expect((await send(test, ['GET', `/api/admin/projects/${projectId}`], { key: adminKey })).status).to.equal(404);
      expect(existsSync(shardOf(test.folder, projectId))).to.equal(false);
    }
  });

  it('does not happen unless both names are exactly the name', async () => {
    const tenant = await makeTenant(test, 'Stays');
    await track(tenant, 1);
    const name = tenant.projectName;
    for (const names of [
      { project_name: 'stays project' },
      { project_name_confirm: `${name} ` },
      { project_name: '', project_name_confirm: '' },
      { project_name_confirm: undefined },
      { project_name: 1 },
      { project_name: null, project_name_confirm: null },
    ]) {
      const refused = await remove(tenant, names);
      expect(refused.status).to.equal(400);
      expect((await jsonOf(refused))['error']).to.match(/^Nothing was deleted/);
    }
    expect((await track(tenant, 1)).status).to.equal(200);
    expect((await remove(tenant)).status).to.equal(200);
  });

  it('happens once, however many ask at the same time', async () => {
    const tenant = await makeTenant(test, 'Twice');
    await track(tenant, 10);
    const statuses = await Promise.all([1, 2, 3].map(async () => (await remove(tenant)).status));
    expect(statuses).to.have.members([200, 404, 404]);
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const deletions = (await control.audit.page(tenant.orgId)).entries.filter(
      ({ action }) => action === 'project.delete',
    );
    await control.close();
    expect(deletions).to.have.length(1);
  });

  it('is not undone by requests that run meanwhile', async () => {
    for (let round = 0; round < 5; round++) {
      const tenant = await makeTenant(test, 'Busy');
      await track(tenant, 100);
      const over = new AbortController();
      const busy = async (act: () => Promise<Response>, fine = [200, 401, 404]): Promise<void> => {
        while (!over.signal.aborted) {
          const { status } = await act();
          expect(status).to.be.oneOf(fine);
          if (status === 401) return;
        }
      };
      const key = tenant.secretKey;
      const lines = `{"event_type":"e","user_id":"${MARK}"}\n`.repeat(2_000);
      const stream = { 'X-API-Key': key, 'Content-Type': 'application/x-ndjson' };
      const load = [
        busy(() => track(tenant, 50)),
        busy(() => track(tenant, 50)),
        busy(() => send(test, ['POST', '/query'], { key }, { q: 'e | count by user_id' })),
        busy(() => send(test, ['POST', '/identify'], { key }, { user_id: MARK, device_id: 'd' })),
        busy(() => test.post('/track', lines, stream)),
        busy(() => send(test, ['DELETE', `/api/gdpr/users/${MARK}%201`], { key })),
        busy(async () => {
          const answer = await send(test, ['GET', `/api/gdpr/users/${MARK}/export`], { key });
          await answer.arrayBuffer().catch(() => undefined); // the deletion cuts it; unread it would count as running
          return answer;
        }, [200, 401, 404, 429]), // an export cut by an erasure counts until its thread has ended
      ];
      await new Promise((resolve) => setTimeout(resolve, 30 * round));
      const deleted = await remove(tenant);
      const left = filesWith(test.folder, MARK);
      over.abort();
      await Promise.all(load);
      expect([deleted.status, left]).to.deep.equal([200, []]);
      expect(filesWith(test.folder, MARK)).to.deep.equal([]);
      expect(filesWith(join(test.folder, 'shards'), tenant.projectId)).to.deep.equal([]);
    }
  });

  it('works when the shard is damaged, which is 503 for that project alone', async () => {
    const folder = temporaryFolder();
    const control = await ControlDatabase.open(folder, { secret: null });
    const { organization, adminKey } = await control.organizations.create('Acme');
    const bad = await control.projects.create(organization.id, 'Bad', TESTER);
    const good = await control.projects.create(organization.id, 'Good', TESTER);
    await control.close();
    mkdirSync(join(folder, 'shards'));
    writeFileSync(shardOf(folder, bad.project.id), `this is no database ${MARK} `.repeat(200));
    const served = new Served(folder);
    const url = await served.ready();
    const call = (path: string, key: string, method: string, body: object): Promise<Response> =>
      fetch(url + path, { method, headers: { 'X-API-Key': key }, body: JSON.stringify(body) });
    const refused = await call('/track', bad.secretKey, 'POST', { event_type: 'a' });
    expect([refused.status, (await jsonOf(refused))['code']]).to.deep.equal([503, 'shard_damaged']);
    expect((await call('/track', good.secretKey, 'POST', { event_type: 'a' })).status).to.equal(200);
    const names = { project_name: 'Bad', project_name_confirm: 'Bad' };
    const deleted = await call(`/api/admin/projects/${bad.project.id}`, adminKey, 'DELETE', names);
    expect(deleted.status).to.equal(200);
    expect(filesWith(folder, MARK)).to.deep.equal([]);
    served.kill('SIGTERM');
    await served.exited;
  });

  it('that a crash cut short is finished by the next start', async () => {
    const folder = temporaryFolder();
    const control = await ControlDatabase.open(folder, { secret: null });
    const { project, secretKey } = await control.projects.create(
      (await control.organizations.create('Acme')).organization.id,
      'P',
      TESTER,
    );
    const first = new Served(folder);
    const headers = { 'X-API-Key': secretKey };
    const body = JSON.stringify({ event_type: 'e', user_id: MARK });
    expect((await fetch(`${await first.ready()}/track`, { method: 'POST', headers, body })).status).to.equal(200);
    first.kill('SIGKILL');
    await first.exited;
    expect(filesWith(folder, MARK)).to.not.deep.equal([]);
    await control.projects.delete(project.id, TESTER);
    const second = new Served(folder);
    await second.ready();
    expect(filesWith(folder, MARK)).to.deep.equal([]);
    expect(await control.projects.unpurged()).to.deep.equal([]);
    await control.close();
    second.kill('SIGTERM');
    await second.exited;
  });

  it('says when files could not be removed, and tries it again', async () => {
    const { control, project } = await newWorld();
    const dropped: string[] = [];
    let trouble: Error | null = new Error('the disk is on fire');
    const store = {
      drop: (id: string): Promise<void> => {
        dropped.push(id);
        return trouble === null ? Promise.resolve() : Promise.reject(trouble);
      },
    };
    const erasures = { projectDeleted: () => undefined, reach: () => Promise.resolve() };
    const deletions = new ProjectDeletions(
      { config: { data: temporaryFolder() }, control, store, erasures, log: silentLog() },
      5,
    );
    deletions.watch();
    const told = await deletions.delete(project.id, TESTER).then(
      () => 'nothing',
      (error: unknown) => String(error),
    );
    expect(told).to.contain('deleted').and.contain('could not be removed');
    expect(await control.projects.find(project.id)).to.equal(null);
    while (dropped.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await control.projects.unpurged()).to.deep.equal([project.id]);
    trouble = null;
    while ((await control.projects.unpurged()).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const tries = dropped.length;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(dropped).to.have.length(tries);
    deletions.close();
  });

  it('is looked for once at a time, and the log says once that it cannot be', async () => {
    const { control } = await newWorld();
    const { log, lines } = keptLog();
    let looks = 0;
    let look = (): Promise<string[]> => Promise.race([]); // never
    const unpurged = (): Promise<string[]> => (looks++, look());
    const projects = Object.assign(Object.create(control.projects) as typeof control.projects, { unpurged });
    const store = { drop: () => Promise.resolve() };
    const erasures = { projectDeleted: () => undefined, reach: () => Promise.resolve() };
    const watching = (): ProjectDeletions => {
      const deletions = new ProjectDeletions({
        config: { data: temporaryFolder() },
        control: { projects },
        store,
        erasures,
        log,
      });
      deletions.watch();
      return deletions;
    };
    const hanging = watching();
    await new Promise((resolve) => setTimeout(resolve, 1_600));
    hanging.close();
    expect(looks).to.equal(1);
    look = () => Promise.reject(new Error('away'));
    const failing = watching();
    await new Promise((resolve) => setTimeout(resolve, 1_600));
    failing.close();
    expect(looks).to.be.above(2);
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).to.deep.equal([
      'deleted projects cannot be looked up; it will be retried',
    ]);
  });
});

describe('a deleted project', () => {
  it("keeps what it stored on the organization's bill, and no bytes", async () => {
    const tenant = await makeTenant(test, 'Billed');
    await track(tenant, 7);
    await remove(tenant);
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const look = async () => (await control.usage.ofOrg(tenant.orgId, lastTwoDays())).days;
    let days = await look();
    while (days.every(({ events_stored: stored }) => stored !== 7)) {
      await new Promise((resolve) => setTimeout(resolve, 20)); // the server writes counters once a second
      days = await look();
    }
    await control.close();
    for (const { bytes_stored: bytes } of days) expect(bytes).to.equal(0);
  });
});
