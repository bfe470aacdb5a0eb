import fs from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Manifest } from '../../lib/backup/manifest.ts';
import { restoreBackup } from '../../lib/backup/restore.ts';
import { openSource } from '../../lib/backup/source.ts';
import { PartialFolder } from '../../lib/base/files/partial-folder.ts';
import { wlInside, wlJson } from '../cli/run-inside.ts';
import { manifestsIn, readNewest } from '../support/backup-files.ts';
import { dataFolder, rowsOf, store } from '../support/data-folder.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const backUp = async (folder: string, ...args: string[]): Promise<Record<string, unknown>> =>
  (await wlJson(folder, ['admin', 'backup', ...args])) as Record<string, unknown>;

async function restoreTo(data: string, from: string): Promise<void> {
  const source = await openSource(from, null);
  await restoreBackup({ source, data, secret: null, force: false, settings: { segmentRows: 1_000, geoipFile: null } });
}

describe('a folder of backups', () => {
  it('keeps the newest, each whole, and no file that none of them needs', async () => {
    const { folder, projects } = await dataFolder(['a', 'b']);
    const target = join(temporaryFolder(), 'backups');
    const first = await backUp(folder, target, '--keep', '2');
    store(folder, projects[0]!, 7);
    const second = await backUp(folder, target, '--keep', '2');
    store(folder, projects[0]!, 7);
    const third = await backUp(folder, target, '--keep', '2');
    expect([second['removed'], third['removed']]).to.deep.equal([[], [first['backup']]]);
    expect(fs.readdirSync(target)).to.have.members(['backups', 'erasures.log', 'files']);
    expect(manifestsIn(target).map((name) => join(target, name))).to.deep.equal([
      `${String(second['backup'])}.json`,
      `${String(third['backup'])}.json`,
    ]);
    const files = manifestsIn(target).flatMap(
      (name) => (JSON.parse(fs.readFileSync(join(target, 'backups', name), 'utf8')) as Manifest).files,
    );
    expect(fs.readdirSync(join(target, 'files'))).to.have.members([...new Set(files.map(({ sha256 }) => sha256))]);
    for (const [backup, rows] of [
      [second['backup'], 17],
      [third['backup'], 24],
    ] as const) {
      const data = join(temporaryFolder(), 'data');
      await restoreTo(data, String(backup));
      expect(projects.map((id) => rowsOf(data, id))).to.deep.equal([rows, 10]);
    }
    const fourth = await backUp(folder, target);
    expect(fourth['removed'], 'without --keep, as many as there are').to.deep.equal([second['backup']]);
  });

  it('removes no file that another which is being made may need, and one that was killed half way goes with the next', async () => {
    const { folder, projects } = await dataFolder(['a']);
    const target = join(temporaryFolder(), 'backup');
    await backUp(folder, target);
    const files = fs.readdirSync(join(target, 'files'));
    const other = PartialFolder.make(join(target, 'backup'));
    store(folder, projects[0]!, 5);
    await backUp(folder, target);
    expect(fs.readdirSync(join(target, 'files'))).to.include.members(files);
    other[Symbol.dispose]();
    fs.mkdirSync(join(target, 'backup.partial-999999'));
    await backUp(folder, target);
    expect(fs.readdirSync(target)).to.have.members(['backups', 'erasures.log', 'files']);
    expect(fs.readdirSync(join(target, 'files')).length).to.equal(
      new Set(readNewest(target).files.map(({ sha256 }) => sha256)).size,
    );
  });

  it('is no folder to serve, and none to restore into', async () => {
    const { folder } = await dataFolder(['a']);
    const target = join(temporaryFolder(), 'backup');
    await backUp(folder, target);
    for (const args of [
      ['serve', '--addr', '127.0.0.1:0', '--metrics-addr', 'none'],
      ['admin', 'restore', target, '--force'],
    ]) {
      const { code, stderr } = await wlInside([...args, '--data', target]);
      expect([code, stderr.includes('has backups, so it cannot be a data folder')], stderr).to.deep.equal([1, true]);
    }
    expect(fs.readdirSync(target)).to.have.members(['backups', 'erasures.log', 'files']);
  });
});
