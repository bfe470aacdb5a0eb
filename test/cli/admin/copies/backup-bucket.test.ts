import { expect } from 'chai';
import fs from 'node:fs';
import { join } from 'node:path';
import { ControlDatabase } from '../../../../lib/control/database.ts';
import { shardPath } from '../../../../lib/shards/file/shard-file.ts';
import { BUCKET, BucketStore, KEY } from '../../../support/bucket-store.ts';
import { age, dataFolder, rowsOf, store } from '../../../support/data-folder.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { wlInside, wlJson } from '../../run-inside.ts';

type Json = Record<string, unknown>;
const TARGET = `s3://${BUCKET}/windlass`;
const DAY = 24 * 3_600_000;

describe('wl admin backup to a bucket', () => {
  const there = new BucketStore();
  before(() => there.start());
  after(() => there.stop());
  beforeEach(() => {
    there.objects.clear();
    there.trouble = () => null;
  });

  /** The output of a `wl admin` command line. */
  async function admin(folder: string, ...args: string[]): Promise<Json> {
    const { code, stdout, stderr } = await wlInside(['admin', ...args, '--json', '--data', folder], there.settings);
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout) as Json;
  }
  const backUp = (folder: string, ...more: string[]): Promise<Json> => admin(folder, 'backup', TARGET, ...more);
  const restore = (folder: string, from = TARGET, ...more: string[]): Promise<Json> =>
    admin(folder, 'restore', from, ...more);
  const newFolder = (): string => join(temporaryFolder(), 'data');
  /** The message when it fails. */
  async function refusal(folder: string, ...args: string[]): Promise<string> {
    const { code, stderr } = await wlInside(['admin', ...args, '--data', folder], there.settings);
    expect(code, stderr).to.not.equal(0);
    for (const secret of [KEY.id, KEY.secret]) expect(stderr).to.not.contain(secret);
    return stderr;
  }
  const putsOfFiles = (): number => there.asked.filter((ask) => ask.startsWith('PUT windlass/files/')).length;

  it('sends what has changed and nothing else, leaves nothing on this machine, and each backup can be restored', async () => {
    const { folder, projects } = await dataFolder(['quiet', 'busy']);
    const first = await backUp(folder);
    expect(first).to.include({ projects: 2, copied: 2 });
    there.asked.length = 0;
    expect(await backUp(folder)).to.include({ projects: 2, copied: 0 });
    const [control] = [putsOfFiles()];
    expect(control, 'no shard, whatever the rest is').to.be.at.most(2);
    store(folder, projects[1]!, 5);
    fs.mkdirSync(join(folder, 'backup.partial-999999999')); // left by a killed process
    expect(await backUp(folder)).to.include({ projects: 2, copied: 1 });
    expect(fs.readdirSync(folder).filter((name) => name.includes('partial'))).to.deep.equal([]);
    const [newest, oldest] = [newFolder(), newFolder()];
    expect(await restore(newest)).to.include({ projects: 2 });
    await restore(oldest, String(first['backup']));
    const rows = [newest, oldest].map((at) => projects.map((id) => rowsOf(at, id)));
    expect(rows).to.deep.equal([
      [10, 15],
      [10, 10],
    ]);
    expect(await wlJson(newest, ['admin', 'check'])).to.deep.include({ ok: true, shards: 2 });
  });

  it('keeps and restores what was made last, also where the clock was ahead before', async () => {
    const { folder, projects } = await dataFolder(['a']);
    await backUp(folder);
    const [key] = there.keys('windlass/backups/');
    there.objects.set('windlass/backups/2099-01-01T00-00-00-000Z.json', there.objects.get(key!)!);
    there.objects.delete(key!);
    store(folder, projects[0]!, 5);
    expect(await backUp(folder, '--keep', '1')).to.include({ backup: `${TARGET}/2099-01-01T00-00-00-001Z` });
    const restored = newFolder();
    await restore(restored);
    expect(rowsOf(restored, projects[0]!)).to.equal(15);
  });

  it('keeps the newest, and removes files that no backup has any more, but none that another may be sending', async () => {
    const { folder, projects } = await dataFolder(['a']);
    there.objects.set('windlass/files/being-sent', { body: Buffer.from('x'), at: Date.now() });
    await backUp(folder, '--keep', '2');
    const shardOfFirst = there.keys('windlass/files/');
    for (const object of there.objects.values()) object.at -= 2 * DAY;
    there.objects.get('windlass/files/being-sent')!.at += 2 * DAY;
    for (let n = 0; n < 2; n++) {
      store(folder, projects[0]!, 1);
      age(folder);
      await backUp(folder, '--keep', '2');
    }
    expect(there.keys('windlass/backups/')).to.have.length(2);
    const left = new Set(there.keys('windlass/files/'));
    expect(left.has('windlass/files/being-sent')).to.equal(true);
    expect(shardOfFirst.filter((key) => !left.has(key))).to.not.deep.equal([]);
    const restored = newFolder();
    await restore(restored);
    expect(rowsOf(restored, projects[0]!)).to.equal(12);
  });

  it('is none when a file could not be sent, and the earlier ones stay', async () => {
    const { folder, projects } = await dataFolder(['a']);
    await backUp(folder);
    store(folder, projects[0]!, 5);
    there.trouble = (ask) => (ask.startsWith('PUT windlass/files/') ? [403, 'AccessDenied'] : null);
    expect(await refusal(folder, 'backup', TARGET)).to.contain('has not all rights');
    expect(fs.readdirSync(folder).filter((name) => name.includes('partial'))).to.deep.equal([]);
    there.trouble = () => null;
    expect(there.keys('windlass/backups/')).to.have.length(1);
    const restored = newFolder();
    await restore(restored);
    expect(rowsOf(restored, projects[0]!)).to.equal(10);
  });

  it('is none when the store has lost what it took', async () => {
    const { folder } = await dataFolder(['a']);
    there.trouble = (ask) => {
      if (ask.startsWith('GET ') && there.asked.some((each) => each.startsWith('PUT')))
        for (const key of there.keys('windlass/files/')) there.objects.delete(key);
      return null;
    };
    there.asked.length = 0;
    expect(await refusal(folder, 'backup', TARGET)).to.contain('did not store');
    expect(there.keys('windlass/backups/')).to.deep.equal([]);
  });

  it('keeps the good copy of a shard that is damaged now', async () => {
    const { folder, projects } = await dataFolder(['good', 'bad']);
    await backUp(folder);
    const file = shardPath(folder, projects[1]!);
    const bytes = fs.readFileSync(file);
    bytes.fill(1, 4_096);
    fs.writeFileSync(file, bytes);
    expect(await refusal(folder, 'backup', TARGET))
      .to.contain(projects[1])
      .and.contain('is kept');
    const restored = newFolder();
    expect(await restore(restored)).to.include({ projects: 2 });
    expect(rowsOf(restored, projects[1]!)).to.equal(10);
  });

  it('is refused by a restore that finds a file missing or changed, and nothing is changed', async () => {
    const { folder, projects } = await dataFolder('abcdefgh'.split(''));
    await backUp(folder);
    const files = there.keys('windlass/files/');
    const [shard, ...others] = files.map((key) => there.objects.get(key)!);
    const { body } = shard!;
    shard!.body = body.subarray(0, -1);
    expect(await refusal(folder, 'restore', TARGET, '--force')).to.contain('missing');
    shard!.body = body;
    for (const object of [shard!, ...others]) (object.body = Buffer.from(object.body))[0]! ^= 1;
    for (const more of [[], ['--project', projects[0]!]])
      expect(await refusal(folder, 'restore', TARGET, '--force', ...more)).to.contain('differs from what was written');
    for (const key of files) there.objects.delete(key);
    there.asked.length = 0;
    expect(await refusal(folder, 'restore', TARGET, '--force')).to.contain('missing');
    const fetched = there.asked.filter((ask) => ask.startsWith('GET windlass/files/')).length;
    expect(fetched, 'not the rest of them').to.be.below(files.length);
    for (const key of there.keys('windlass/backups/'))
      there.objects.set(key, { at: 0, body: Buffer.from('{"format": 1') });
    expect(await refusal(folder, 'restore', TARGET, '--force')).to.contain('cannot be read');
    expect(await refusal(folder, 'restore', `s3://${BUCKET}/nothing`)).to.contain('there is no backup in');
    expect(rowsOf(folder, projects[0]!)).to.equal(10);
  });

  it('gives one project back, in its place and beside it', async () => {
    const { folder, projects } = await dataFolder(['a', 'b']);
    await backUp(folder);
    store(folder, projects[0]!, 5);
    there.asked.length = 0;
    await restore(folder, TARGET, '--project', projects[0]!, '--force');
    expect(rowsOf(folder, projects[0]!)).to.equal(10);
    const { id } = await restore(folder, TARGET, '--project', projects[1]!, '--as-new');
    expect(rowsOf(folder, String(id))).to.equal(10);
  });

  it('has the deletions of projects before they are told, also many of them, and no restore brings one back', async () => {
    const names = Array.from({ length: 4 }, (_, n) => `p${n}`);
    const { folder, projects } = await dataFolder(names);
    await backUp(folder);
    for (const [n, id] of projects.slice(0, 2).entries())
      await admin(folder, 'project', 'delete', id, '--name', names[n]!);
    expect(there.keys('windlass/erasures/')).to.not.deep.equal([]);
    const told = await restore(newFolder());
    expect(told['deleted']).to.have.members(projects.slice(0, 2));
    expect(told['erasure_log']).to.include({ entries: 2, damaged: 0, former_data: false });
    await backUp(folder);
    expect(there.keys('windlass/erasures/'), 'one object of many').to.have.length(1);
    expect((await restore(newFolder()))['projects']).to.equal(2);
  });

  it('is forgotten like a folder, and one bucket has one spelling', async () => {
    const { folder } = await dataFolder(['a']);
    await backUp(folder);
    const control = await ControlDatabase.open(folder, { secret: null });
    expect((await control.operator.backupTargets.list(fs.realpathSync(folder))).map(({ path }) => path)).to.deep.equal([
      TARGET,
    ]);
    await control.close();
    await wlJson(folder, ['admin', 'backup', `${TARGET}/`, '--forget']);
    expect(await refusal(folder, 'backup', 's3://No_Bucket')).to.contain('does not name a bucket');
  });

  it('needs a key, and says which settings it lacks', async () => {
    const { folder } = await dataFolder([]);
    const { stderr } = await wlInside(['admin', 'backup', TARGET, '--data', folder]);
    expect(stderr).to.contain('WINDLASS_BACKUP_S3_KEY').and.contain('WINDLASS_BACKUP_S3_SECRET');
  });

  it('is tried by wl admin doctor, which leaves nothing there, and says what to do when it fails', async () => {
    const { folder } = await dataFolder([]);
    type Finding = { check: string; found: string; mend: string | null };
    const told = async (): Promise<Finding> => {
      const env = { ...there.settings, WINDLASS_BACKUP_DIR: TARGET };
      const { stdout } = await wlInside(['admin', 'doctor', '--json', '--data', folder], env);
      const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] };
      return findings.find(({ check }) => check === `backups in ${TARGET}`)!;
    };
    expect(await told()).to.include({ mend: null });
    expect(there.keys('')).to.deep.equal([]);
    there.trouble = (ask) => (ask.startsWith('GET') ? [403, 'AccessDenied'] : null);
    expect((await told()).mend).to.contain('s3:');
    expect(there.keys(''), 'what it wrote and may not list').to.deep.equal([]);
    there.trouble = (ask) => (ask.startsWith('DELETE') ? [403, 'AccessDenied'] : null);
    expect((await told()).mend).to.contain('s3:DeleteObject');
  });
});
