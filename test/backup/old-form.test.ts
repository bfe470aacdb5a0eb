import fs from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { shardPath } from '../../lib/shards/file/shard-file.ts';
import { wlInside, wlJson } from '../cli/run-inside.ts';
import { manifestsIn, unpackOldBackups } from '../support/backup-files.ts';
import { rowsOf } from '../support/data-folder.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Json = Record<string, unknown>;
const [OLDER, NEWER] = ['2026-11-29T00-07-42-738Z', '2026-11-29T00-07-44-420Z'];

describe('backups in folders of the form before', () => {
  let place: string;
  let data: string;
  let projects: readonly [string, string];
  beforeEach(() => {
    place = temporaryFolder();
    data = join(temporaryFolder(), 'data');
    projects = unpackOldBackups(place);
  });

  const admin = async (...args: string[]): Promise<Json> => (await wlJson(data, ['admin', ...args])) as Json;
  const refusal = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await wlInside([...args, '--data', data]);
    expect(code, stderr).to.equal(1);
    return stderr;
  };
  const backups = (): string[] => fs.readdirSync(join(place, 'several')).filter((name) => name.endsWith('Z'));

  it('are restored, the newest or the one that is named, without who was erased since', async () => {
    for (const [from, backup, events, erased] of [
      ['one', 'one', 0, 1],
      ['several', `several/${NEWER}`, 5, 1],
      [`several/${OLDER}`, `several/${OLDER}`, 0, 1],
    ] as const) {
      data = join(temporaryFolder(), 'data');
      const told = await admin('restore', join(place, from));
      expect(told, from).to.include({ backup: join(place, backup), projects: 2, erased_events: erased });
      if (events > 0) expect(rowsOf(data, projects[0])).to.equal(events);
      expect(await admin('check')).to.include({ ok: true });
    }
  });

  it('give one project back, in its place and beside it', async () => {
    await admin('restore', join(place, 'one'));
    const { id } = await admin('restore', join(place, 'several'), '--project', projects[0], '--as-new');
    expect(rowsOf(data, String(id))).to.equal(5);
    await admin('restore', join(place, 'several', NEWER), '--project', projects[1], '--force');
    expect(rowsOf(data, projects[1])).to.equal(3);
  });

  it('are not restored where a file is missing or changed', async () => {
    const shard = shardPath(join(place, 'one'), projects[0]);
    const bytes = fs.readFileSync(shard);
    bytes[bytes.length - 1]! ^= 1;
    fs.writeFileSync(shard, bytes);
    expect(await refusal('admin', 'restore', join(place, 'one'))).to.include('differs from what was written');
    fs.rmSync(shard);
    expect(await refusal('admin', 'restore', join(place, 'one'))).to.include('is missing');
    fs.writeFileSync(join(place, 'one', 'backup.json'), 'torn');
    expect(await refusal('admin', 'restore', join(place, 'one'))).to.include('damaged');
  });

  it('are no folders to serve', async () => {
    data = join(place, 'one');
    const { code, stderr } = await wlInside(['serve', '--data', data, '--addr', '127.0.0.1:0', '--metrics-addr', 'none']);
    expect([code, stderr.includes('has backups, so it cannot be a data folder')], stderr).to.deep.equal([1, true]);
  }); // prettier-ignore

  it('make room for new ones, in their turn where several are kept', async () => {
    await admin('restore', join(place, 'several'));
    const several = join(place, 'several');
    const first = await admin('backup', several, '--keep', '2');
    expect(first['removed']).to.deep.equal([join(several, OLDER)]);
    expect([backups(), manifestsIn(several).length]).to.deep.equal([[NEWER], 1]);
    await admin('backup', several, '--keep', '2');
    expect([backups(), manifestsIn(several).length]).to.deep.equal([[], 2]);
    expect(fs.readdirSync(several)).to.have.members(['backups', 'erasures.log', 'files']);
  });

  it('make room for a new one at once where there is one, also where it cannot be read', async () => {
    await admin('restore', join(place, 'one'));
    for (const torn of [false, true]) {
      place = temporaryFolder();
      unpackOldBackups(place);
      if (torn) fs.writeFileSync(join(place, 'one', 'backup.json'), 'torn');
      await admin('backup', join(place, 'one'));
      expect(fs.readdirSync(join(place, 'one'))).to.have.members(['backups', 'erasures.log', 'files']);
      expect(manifestsIn(join(place, 'one'))).to.have.length(1);
    }
    data = join(temporaryFolder(), 'data');
    expect(await admin('restore', join(place, 'one'))).to.include({ projects: 2 });
  });

  it('have the good copy of a shard that is damaged now', async () => {
    await admin('restore', join(place, 'several'));
    fs.writeFileSync(shardPath(data, projects[1]), 'no database at all, and long enough to be read as one'.repeat(200));
    expect(await refusal('admin', 'backup', join(place, 'several'), '--keep', '1'))
      .to.include(projects[1])
      .and.include('is kept');
    expect(backups()).to.deep.equal([]);
    data = join(temporaryFolder(), 'data');
    await admin('restore', join(place, 'several'));
    expect(rowsOf(data, projects[1])).to.equal(3);
  });
});
