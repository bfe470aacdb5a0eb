import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PartialFolder } from '../../lib/base/files/partial-folder.ts';
import { ControlDatabase } from '../../lib/control/database.ts';
import { wlInside } from '../cli/run-inside.ts';
import { BUCKET, BucketStore } from '../support/bucket-store.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { filesWith } from '../support/files-with.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { readConfig } from '../../lib/base/config/config.ts';
import { silentLog } from '../../lib/base/log.ts';
import { startService } from '../../lib/server/service.ts';

const WL = fileURLToPath(new URL('../../bin/wl.js', import.meta.url));
const TARGET = `s3://${BUCKET}/windlass`;
const MARK = 'zebra';

describe('what a process that was killed has left in the data folder', () => {
  const there = new BucketStore();
  let test: TestService;
  const started: ChildProcess[] = [];
  before(async () => {
    await there.start();
    test = await startTestService(there.settings);
  });
  after(async () => {
    for (const child of started) child.kill('SIGKILL');
    await test.stop();
    await there.stop();
  });

  const partials = (): string[] => fs.readdirSync(test.folder).filter((name) => name.includes('.partial-'));

  /** A backup that has copied the shards and waits for the bucket for ever. */
  async function startBackup(): Promise<ChildProcess> {
    await test.post('/track', { event_type: 'view', user_id: MARK, event_properties: { page: `${MARK} page` } });
    await test.rows('* | count'); // seals it
    there.trouble = (ask) => (ask.startsWith('PUT windlass/files/') ? 'hang' : null);
    const child = spawn(process.execPath, [WL, 'admin', 'backup', TARGET, '--data', test.folder], {
      env: { PATH: process.env['PATH'], ...COMPILE_CACHE, ...there.settings },
      stdio: 'ignore',
    });
    started.push(child);
    const copied = (): boolean => partials().some((name) => filesWith(join(test.folder, name), MARK).length > 0);
    while (!copied() && child.exitCode === null) await sleep(20);
    expect(child.exitCode).to.equal(null);
    return child;
  }

  async function kill(child: ChildProcess): Promise<void> {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  async function check(): Promise<{ code: number; stderr: string }> {
    const { code, stderr } = await wlInside(['admin', 'check', '--data', test.folder], {});
    return { code: code ?? -1, stderr };
  }

  it('is named by `wl admin check`, but not what one that runs is making, and goes with an erasure', async () => {
    const backup = await startBackup();
    expect(await check()).to.deep.equal({ code: 0, stderr: '' });
    await kill(backup);
    const [left] = partials();
    const checked = await check();
    expect(checked.code).to.equal(1);
    expect(checked.stderr).to.contain(left).and.contain('erased people');
    const headers = { 'X-API-Key': test.keys.secretKey };
    const erased = await fetch(`${test.url}/api/gdpr/users/${MARK}`, { method: 'DELETE', headers });
    expect(erased.status, await erased.text()).to.equal(200);
    expect(filesWith(test.folder, MARK)).to.deep.equal([]);
    expect(partials()).to.deep.equal([]);
    expect(await check()).to.deep.equal({ code: 0, stderr: '' });
  });

  it('goes with the deletion of a project', async () => {
    const { keys } = await test.another();
    await kill(await startBackup());
    expect(partials()).to.have.length(1);
    const response = await fetch(`${test.url}/api/admin/projects/${keys.project.id}`, {
      method: 'DELETE',
      headers: { 'X-API-Key': keys.adminKey },
      body: JSON.stringify({ project_name: keys.project.name, project_name_confirm: keys.project.name }),
    });
    expect(response.status, await response.text()).to.equal(200);
    expect(partials()).to.deep.equal([]);
  });

  it('stays where its process runs, whatever its number, and goes at the start, though a process has its number', async () => {
    const data = fs.mkdtempSync(join(test.folder, '..', 'windlass-half-made-'));
    await (await ControlDatabase.open(data, { secret: null })).close();
    fs.mkdirSync(join(data, 'shards'));
    const left = [
      `backup.partial-${process.pid}`, // of an earlier release, and its number is in use again
      'import.partial-0a1b2c3d4e5f',
      'cluster-import/copy.partial-0a1b2c3d4e5f',
    ];
    for (const name of left) fs.mkdirSync(join(data, name, 'shards'), { recursive: true });
    for (const name of left) fs.writeFileSync(join(data, name, 'shards', 'prj_a.db'), MARK);
    const files = ['prj_a.db.new', 'prj_a.db.new-wal', 'prj_a.db.own', 'prj_a.db.restore'].map(
      (name) => `shards/${name}`,
    );
    for (const name of files) fs.writeFileSync(join(data, name), MARK);
    fs.mkdirSync(join(data, 'restore.partial'));
    {
      using running = PartialFolder.make(join(data, 'backup'));
      const service = await startService({
        config: readConfig({
          ...{
            WINDLASS_DATA: data,
            WINDLASS_ADDR: '127.0.0.1:0',
            WINDLASS_METRICS_ADDR: 'none',
            WINDLASS_THREADS: '1',
          },
        }),
        log: silentLog(),
      });
      expect(filesWith(data, MARK)).to.deep.equal([]);
      expect(fs.existsSync(running.path)).to.equal(true);
      expect(fs.existsSync(join(data, 'restore.partial'))).to.equal(false);
      await service.close();
    }
    expect(fs.readdirSync(data).filter((name) => name.includes('.partial'))).to.deep.equal([]);
    fs.rmSync(data, { recursive: true });
  });
});
