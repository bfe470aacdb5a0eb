import { expect } from 'chai';
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { wlInside, wlJson } from '../cli/run-inside.ts';
import { manifestsIn } from '../support/backup-files.ts';
import { BUCKET, BucketStore, KEY } from '../support/bucket-store.ts';
import { Served } from '../support/served.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('backups that the service makes by itself', () => {
  const started: Served[] = [];
  afterEach(() => started.splice(0).forEach((served) => served.kill('SIGKILL')));
  async function serve(data: string, dir: string): Promise<Served> {
    const served = new Served(data, {
      WINDLASS_BACKUP_DIR: dir,
      WINDLASS_BACKUP_EVERY: '1h',
      WINDLASS_BACKUP_KEEP: '2',
    });
    started.push(served);
    await served.ready();
    return served;
  }
  async function says(served: Served, text: string): Promise<void> {
    while (!served.stderr.includes(text)) await sleep(20);
  }

  it('are made at the start when none is as young as they should be, and can be restored', async () => {
    const [data, dir] = [join(temporaryFolder(), 'data'), join(temporaryFolder(), 'backups')];
    const served = await serve(data, dir);
    const key = served.secretKey;
    await says(served, 'a backup was made');
    expect(manifestsIn(dir)).to.have.length(1);
    served.kill('SIGTERM');
    expect(await served.exited).to.deep.equal([0, null]);
    const copy = join(temporaryFolder(), 'copy');
    expect(await wlJson(copy, ['admin', 'restore', dir])).to.deep.include({ projects: 1 });
    const restored = new Served(copy);
    started.push(restored);
    const answer = await fetch(`${await restored.ready()}/query`, {
      method: 'POST',
      headers: { 'X-API-Key': key },
      body: JSON.stringify({ q: '* | count', format: 'json' }),
    });
    expect(answer.status, `${await answer.text()} ${served.stdout} ${restored.stdout}`).to.equal(200);
    const again = await serve(data, dir);
    again.kill('SIGTERM');
    await again.exited;
    expect(manifestsIn(dir), 'the one of before is young enough').to.have.length(1);
  });

  it('go to a bucket as well, whose log has an erasure before its answer, and the key is in no log', async () => {
    const store = new BucketStore();
    await store.start();
    const [data, keyFile] = [join(temporaryFolder(), 'data'), join(temporaryFolder(), 'key')];
    fs.writeFileSync(keyFile, `${KEY.secret}\n`);
    const { WINDLASS_BACKUP_S3_SECRET: _secret, ...settings } = store.settings;
    const target = `s3://${BUCKET}/w`;
    const served = new Served(data, {
      ...{ ...settings, WINDLASS_BACKUP_DIR: target, WINDLASS_BACKUP_S3_SECRET_FILE: keyFile },
    });
    started.push(served);
    const url = await served.ready();
    await says(served, 'a backup was made');
    const headers = { 'X-API-Key': served.secretKey };
    const body = JSON.stringify({ event_type: 'e', user_id: 'ann' });
    expect((await fetch(`${url}/track`, { method: 'POST', headers, body })).status).to.equal(200);
    expect((await fetch(`${url}/api/gdpr/users/ann`, { method: 'DELETE', headers })).status).to.equal(200);
    expect(store.keys('w/erasures/')).to.have.length(1);
    served.kill('SIGTERM');
    await served.exited;
    const { stdout } = await wlInside(
      ['admin', 'restore', target, '--json', '--data', join(temporaryFolder(), 'copy')],
      {
        ...store.settings,
      },
    );
    expect((JSON.parse(stdout) as { erasure_log: unknown }).erasure_log).to.include({ entries: 1 });
    for (const secret of [KEY.id, KEY.secret]) expect(served.stderr + served.stdout).to.not.contain(secret);
    await store.stop();
  });

  it('that fail are told in the log with what to do, and the service goes on', async () => {
    const [data, dir] = [join(temporaryFolder(), 'data'), join(temporaryFolder(), 'backups')];
    fs.mkdirSync(dir);
    fs.writeFileSync(join(dir, 'holiday.jpg'), '');
    const served = await serve(data, dir);
    await says(served, 'no backup could be made');
    expect(served.stderr).to.include('is not empty and not a backup');
    expect((await fetch(`${await served.ready()}/readyz`)).status).to.equal(200);
  });

  it('end with the service, and leave no half of one that counts', async () => {
    const [data, dir] = [join(temporaryFolder(), 'data'), join(temporaryFolder(), 'backups')];
    const served = await serve(data, dir);
    served.kill('SIGTERM');
    expect(await served.exited).to.deep.equal([0, null]);
    expect(served.stderr).to.not.include('no backup could be made');
  });
});
