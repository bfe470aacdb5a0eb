import { expect } from 'chai';
import { once } from 'node:events';
import fs from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { OPERATOR_SOCKET } from '../../../lib/control/process/operator-socket.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { wlInside, wlJson } from '../run-inside.ts';

/** Stands before the socket of a service: `first` resolves with the first reading, and any further one waits for `goOn`. */
async function betweenReadings(folder: string): Promise<{ first: Promise<void>; goOn(): void; stop(): Promise<void> }> {
  const [socket, own] = [join(folder, OPERATOR_SOCKET), join(folder, 'moved.sock')];
  fs.renameSync(socket, own);
  let [read, goOn] = [(): void => undefined, (): void => undefined];
  const first = new Promise<void>((resolve) => (read = resolve));
  const further = new Promise<void>((resolve) => (goOn = resolve));
  let readings = 0;
  const server = createServer((client) => {
    const forward = (): void => void client.pipe(connect(own)).on('close', read).pipe(client);
    if (readings++ === 0) forward();
    else void further.then(forward);
  }).listen(socket);
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    await once(server.close(), 'close');
    fs.renameSync(own, socket);
  };
  return { first, goOn: () => goOn(), stop };
}

describe('wl admin top', () => {
  let test: TestService;
  before(async () => {
    test = await startTestService({ WINDLASS_EVENTS_PER_MINUTE: '5' });
  });
  after(() => test.stop());

  it('tells what each project did meanwhile, the busiest first, and who was refused', async () => {
    expect((await test.post('/track', { events: [{ event_type: 'e', user_id: 'before' }] })).status).to.equal(200);
    const args = ['admin', 'top', '--every', '1'];
    const readings = await betweenReadings(test.folder);
    const asked = wlJson(test.folder, args);
    await readings.first;
    const events = Array.from({ length: 5 }, () => ({ event_type: 'e', user_id: 'u' }));
    expect((await test.post('/track', { events })).status).to.equal(200);
    expect((await test.post('/track', { events })).status).to.equal(429);
    await test.rows('e | count');
    readings.goOn();
    const [line, ...others] = (await asked) as Record<string, unknown>[];
    expect(others).to.deep.equal([]);
    expect(line).to.include({
      ...{ project_id: test.keys.project.id, project: 'My project', organization: 'Default' },
      ...{ running: 0, waiting: 0, memory_bytes: 0 },
    });
    const [stored, refused] = [Number(line!['events_per_s']), Number(line!['refused_per_s'])];
    expect(stored).to.be.above(0).and.at.most(5);
    expect(stored / refused, 'those of before are not counted').to.be.closeTo(5, 0.5);
    expect(line!['query_seconds_per_s']).to.be.above(0);
    expect(line!['stored_bytes']).to.be.above(0);
    await readings.stop();
    const { stdout } = await wlInside([...args, '--data', test.folder]);
    expect(stdout)
      .to.match(/^project +organization +events\/s/)
      .and.include('My project');
  });

  it('is asked by a socket that its owner alone may open, and says so where no service runs', async () => {
    const socket = join(test.folder, 'operator.sock');
    expect(fs.statSync(socket).mode & 0o077).to.equal(0);
    const folder = temporaryFolder();
    await wlJson(folder, ['admin', 'org', 'create', 'A']);
    fs.writeFileSync(join(folder, 'operator.sock'), 'of a service that was killed');
    const { code, stderr } = await wlInside(['admin', 'top', '--data', folder]);
    expect([code, stderr.split('\n').length]).to.deep.equal([1, 3]);
    expect(stderr).to.include('no service').and.not.include('bug');
    expect((await fetch(`${test.url}/tenants`)).status).to.equal(404);
  });
});
