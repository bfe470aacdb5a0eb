import Database from 'better-sqlite3';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { SHARD_FORMAT, shardPath } from '../../../../lib/shards/file/shard-file.ts';
import { restoreBackup, type Restored } from '../../../../lib/backup/restore.ts';
import { openSource } from '../../../../lib/backup/source.ts';
import { ControlDatabase } from '../../../../lib/control/database.ts';
import { AppError } from '../../../../lib/base/errors.ts';
import { age, dataFolder, rowsOf, store } from '../../../support/data-folder.ts';
import { Served } from '../../../support/served.ts';
import { sumOfFile } from '../../../../lib/backup/whole-file.ts';
import { fileIn, manifestsIn, newestManifest } from '../../../support/backup-files.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { wlJson } from '../../run-inside.ts';
import { exitOf, startWl, wl } from '../../run-wl.ts';

const BY = { name: 'test', ip: null };
const FROM = { ip: null, userAgent: null };

const backUp = async (folder: string, ...args: string[]): Promise<Record<string, unknown>> =>
  (await wlJson(folder, ['admin', 'backup', ...args])) as Record<string, unknown>;

async function restoreTo(data: string, from: string, force = false): Promise<Restored> {
  const source = await openSource(from, null);
  return restoreBackup({ source, data, secret: null, force, settings: { segmentRows: 1_000, geoipFile: null } });
}

/** The message when a restore with --force refuses. */
async function refusal(folder: string, from: string, force = true): Promise<string> {
  try {
    await restoreTo(folder, from, force);
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
  throw new Error('it was restored');
}

describe('wl admin backup, made again', () => {
  it('copies shards that were written to, and no others', async () => {
    const { folder, projects } = await dataFolder(['quiet', 'busy']);
    const target = join(temporaryFolder(), 'backup');
    expect(await backUp(folder, target)).to.include({ projects: 2, copied: 2 });
    expect(await backUp(folder, target)).to.include({ projects: 2, copied: 0 });
    store(folder, projects[1]!, 5);
    expect(await backUp(folder, target)).to.include({ projects: 2, copied: 1 });
    expect(manifestsIn(target), 'one that is updated').to.have.length(1);
    const data = join(temporaryFolder(), 'data');
    await restoreTo(data, target);
    expect(projects.map((id) => rowsOf(data, id))).to.deep.equal([10, 15]);
    expect(await wlJson(data, ['admin', 'check'])).to.deep.include({ ok: true, shards: 2 });
  });

  it('keeps and restores what was made last, also where the clock was ahead before', async () => {
    const { folder, projects } = await dataFolder(['a']);
    const target = join(temporaryFolder(), 'backups');
    await backUp(folder, target, '--keep', '1');
    fs.renameSync(newestManifest(target), join(target, 'backups', '2099-12-31T23-59-59-999Z.json'));
    store(folder, projects[0]!, 5);
    const last = join(target, '2100-01-01T00-00-00-000Z');
    expect(await backUp(folder, target, '--keep', '1')).to.include({ backup: last });
    const data = join(temporaryFolder(), 'data');
    expect(await restoreTo(data, target)).to.include({ backup: last });
    expect(rowsOf(data, projects[0]!)).to.equal(15);
  });

  it('is not made in a folder of the service, empty or not', async () => {
    const { folder } = await dataFolder(['a']);
    for (const name of ['shards', 'journal/x', 'scripts']) {
      const { code, stderr } = await wl(['admin', 'backup', join(folder, name), '--data', folder]);
      expect([code, stderr]).to.deep.equal([
        1,
        `wl: ${join(folder, name)} is where the service keeps its own files: back up to another folder\nSee: wl admin backup --help\n`,
      ]);
    }
  });

  it('leaves the processor to others who want it', async function () {
    if (process.platform !== 'linux') return this.skip(); // only there threads have priorities
    const { folder, projects } = await dataFolder(['a']);
    const shard = shardPath(folder, projects[0]!);
    fs.rmSync(shard);
    execFileSync('mkfifo', [shard]); // opening it waits until the backup opens it, too, which then waits for content
    const child = startWl(['admin', 'backup', join(temporaryFolder(), 'backup'), '--data', folder]);
    const exited = exitOf(child);
    const pipe = await fs.promises.open(shard, 'w');
    const niceness = getPriority(child.pid);
    child.kill('SIGKILL');
    await exited;
    await pipe.close();
    expect(niceness).to.be.above(getPriority());
  });

  it('copies a shard again that was written to a moment before it was copied, as a later write may have the same time', async () => {
    const { folder, projects } = await dataFolder(['a']);
    const target = join(temporaryFolder(), 'backup');
    const now = new Date();
    fs.utimesSync(shardPath(folder, projects[0]!), now, now);
    await backUp(folder, target);
    age(folder);
    expect(await backUp(folder, target)).to.include({ copied: 1 });
    expect(await backUp(folder, target)).to.include({ copied: 0 });
  });

  it('copies a shard anew whose copy in the earlier backup is gone, and all where that cannot be read', async () => {
    const { folder, projects } = await dataFolder(['a']);
    const target = join(temporaryFolder(), 'backup');
    await backUp(folder, target);
    fs.rmSync(fileIn(target, `shards/${projects[0]}.db`));
    expect(await backUp(folder, target)).to.include({ copied: 1 });
    fs.writeFileSync(newestManifest(target), 'torn');
    expect(await backUp(folder, target)).to.include({ copied: 1 });
    const data = join(temporaryFolder(), 'data');
    expect(await restoreTo(data, target)).to.include({ projects: 1 });
    expect(rowsOf(data, projects[0]!)).to.equal(10);
  });
});

describe('wl admin restore', () => {
  it('makes the data folder anew from the newest backup, with what was in no shard yet', async () => {
    const { folder, projects } = await dataFolder(['a']);
    const target = join(temporaryFolder(), 'backups');
    await backUp(folder, target, '--keep', '2');
    store(folder, projects[0]!, 5);
    const { backup } = await backUp(folder, target, '--keep', '2');
    const restored = join(temporaryFolder(), 'new', 'data');
    expect(await wlJson(restored, ['admin', 'restore', target])).to.include({ backup, projects: 1, replaced: null });
    expect(rowsOf(restored, projects[0]!)).to.equal(15);
    expect(await wlJson(restored, ['admin', 'check'])).to.deep.include({ ok: true, shards: 1 });
    const names = fs.readdirSync(restored).filter((name) => !/-(?:wal|shm)$/.test(name));
    expect(names).to.have.members(['control.db', 'journal', 'lock', 'secret', 'shards']);
  });

  it('refuses to replace newer data, and moves it aside with --force', async () => {
    const { folder, projects } = await dataFolder(['a']);
    const target = join(temporaryFolder(), 'backup');
    await backUp(folder, target);
    age(folder);
    expect(await restoreTo(folder, target)).to.include({ projects: 1 });
    store(folder, projects[0]!, 5);
    expect(await refusal(folder, target, false)).to.contain('newer than the backup');
    expect(rowsOf(folder, projects[0]!)).to.equal(15);
    const { replaced } = (await wlJson(folder, ['admin', 'restore', target, '--force'])) as { replaced: string };
    expect([rowsOf(folder, projects[0]!), rowsOf(replaced, projects[0]!)]).to.deep.equal([10, 15]);
  });

  it('deletes and erases again what was deleted and erased since the backup, also by a release without a log of it', async () => {
    const { folder, projects } = await dataFolder(['kept', 'gone']);
    store(folder, projects[0]!, 3, 'ada');
    age(folder);
    const { backup } = await backUp(folder, join(temporaryFolder(), 'backup'));
    const control = await ControlDatabase.open(folder, { secret: null });
    await control.projects.delete(projects[1]!, BY);
    await control.auditUser('user.erase', projects[0]!, 'ada', BY);
    await control.close();
    const restored = await restoreTo(folder, String(backup), true);
    expect(restored).to.deep.include({ deleted: [projects[1]], erasedEvents: 3 });
    expect(restored.erasures).to.deep.equal({ entries: 0, newest: null, damaged: 0, former: true });
    expect([fs.existsSync(shardPath(folder, projects[1]!)), rowsOf(folder, projects[0]!)]).to.deep.equal([false, 10]);
    expect((await restoreTo(join(temporaryFolder(), 'data'), String(backup))).erasures.former).to.equal(false);
  });

  it('brings back no credential that was revoked since, and keeps those that replaced them', async () => {
    const { folder, projects } = await dataFolder(['a']);
    const projectId = projects[0]!;
    const before = await ControlDatabase.open(folder, { secret: null });
    const { orgId } = await before.projects.get(projectId);
    const oldSecret = await before.projects.secretKey(projectId);
    const oldAdmin = await before.organizations.rotateAdminKey(orgId, BY);
    const kept = await before.tokens.create({ projectId, name: 'kept', scopes: ['query'] }, BY);
    const revoked = await before.tokens.create({ projectId, name: 'revoked', scopes: ['query'] }, BY);
    const { token: link } = await before.logins.createLink('ada@example.com', { orgId, role: 'viewer' });
    const ada = (await before.logins.redeem(link, { ip: null }))!;
    const [stolen, own] = [await before.sessions.create(ada.id, FROM), await before.sessions.create(ada.id, FROM)];
    const { token: unused } = await before.logins.createLink('ada@example.com');
    await before.close();
    const { backup } = await backUp(folder, join(temporaryFolder(), 'backup'));

    const since = await ControlDatabase.open(folder, { secret: null });
    const { secretKey } = await since.projects.rotateSecretKey(projectId, 0, BY);
    const admin = await since.organizations.rotateAdminKey(orgId, BY);
    await since.tokens.revoke(projectId, revoked.token.id, BY);
    const { token: linkOfBob } = await since.logins.createLink('bob@example.com', { orgId, role: 'admin' });
    const bob = (await since.logins.redeem(linkOfBob, { ip: null }))!;
    const made = await since.tokens.create(
      { projectId, name: 'made', scopes: ['query'] },
      { ...BY, accountId: bob.id },
    );
    await since.sessions.end(stolen);
    await since.logins.redeem(unused, { ip: null });
    await since.close();
    await restoreTo(folder, String(backup), true);

    const control = await ControlDatabase.open(folder, { secret: null });
    const works = async (key: string): Promise<boolean> => (await control.credentials.find(key)) !== null;
    const keys = { oldSecret, secretKey, oldAdmin, admin, kept: kept.key, revoked: revoked.key, made: made.key };
    const found = await Promise.all(Object.entries(keys).map(async ([name, key]) => [name, await works(key)] as const));
    expect(Object.fromEntries(found)).to.deep.equal({
      ...{ oldSecret: false, secretKey: true, oldAdmin: false, admin: true },
      ...{ kept: true, revoked: false, made: true },
    });
    expect(await control.projects.secretKey(projectId)).to.equal(secretKey);
    expect([await control.sessions.find(stolen), await control.logins.redeem(unused, { ip: null })]).to.deep.equal([
      null,
      null,
    ]);
    expect((await control.sessions.find(own))?.accountId).to.equal(ada.id);
    await control.close();
    expect(await wlJson(folder, ['admin', 'check'])).to.include({ ok: true });
  });

  it('refuses a folder that a server has', async () => {
    const { folder } = await dataFolder([]);
    const target = join(temporaryFolder(), 'backup');
    await backUp(folder, target);
    const served = new Served(folder);
    await served.ready();
    expect(await refusal(folder, target)).to.contain('another server uses');
    served.kill('SIGKILL');
    await served.exited;
  });

  describe('refuses a backup and changes nothing', () => {
    let folder: string;
    let shard: string;
    let target: string;
    let project: string;
    beforeEach(async () => {
      const made = await dataFolder(['a']);
      folder = made.folder;
      project = made.projects[0]!;
      target = join(temporaryFolder(), 'backup');
      await backUp(folder, target);
      shard = fileIn(target, `shards/${project}.db`);
    });
    afterEach(() => {
      expect(rowsOf(folder, project)).to.equal(10);
      expect(fs.readdirSync(folder).filter((name) => name.includes('restore'))).to.deep.equal([]);
    });
    function change(edit: (manifest: Record<string, unknown>) => void): void {
      const manifest = JSON.parse(fs.readFileSync(newestManifest(target), 'utf8')) as Record<string, unknown>;
      edit(manifest);
      fs.writeFileSync(newestManifest(target), JSON.stringify(manifest));
    }

    it('that is none', async () => {
      fs.rmSync(newestManifest(target));
      expect(await refusal(folder, target)).to.contain('there is no backup in');
      expect(await refusal(folder, join(target, 'nowhere'))).to.contain('there is no backup in');
    });

    it('of which a file is missing, cut short or changed, or whose list cannot be read', async () => {
      const bytes = fs.readFileSync(shard);
      fs.writeFileSync(shard, bytes.subarray(0, -1));
      expect(await refusal(folder, target))
        .to.contain('damaged')
        .and.contain('.db');
      bytes[bytes.length - 1]! ^= 1;
      fs.writeFileSync(shard, bytes);
      expect(await refusal(folder, target)).to.contain('damaged');
      fs.rmSync(shard);
      expect(await refusal(folder, target)).to.contain('missing');
      fs.writeFileSync(newestManifest(target), '{"format": 1');
      expect(await refusal(folder, target)).to.contain('damaged');
    });

    it('of a newer release', async () => {
      change((manifest) => (manifest['formats'] = { control: 1, shards: SHARD_FORMAT + 1, journal: 1 }));
      expect(await refusal(folder, target)).to.contain('newer release');
    });

    it('whose list names a file elsewhere', async () => {
      change((manifest) => (manifest['files'] = [{ path: '../x', bytes: 1, sha256: '0'.repeat(64) }]));
      expect(await refusal(folder, target)).to.contain('damaged');
    });

    it('whose list has a file of a length that no file has', async () => {
      for (const bytes of [-1, 0.5, '1']) {
        change((manifest) => (manifest['files'] = [{ path: 'secret', bytes, sha256: '0'.repeat(64) }]));
        expect(await refusal(folder, target)).to.contain('names a file that no backup has');
      }
    });

    it('whose control database has what Windlass does not make, which would run with what is read and written', async () => {
      const file = fileIn(target, 'control.db');
      const database = new Database(file);
      database.exec('CREATE TRIGGER t AFTER INSERT ON audit BEGIN DELETE FROM projects; END');
      database.close();
      const { bytes, sha256 } = sumOfFile(file);
      fs.renameSync(file, join(target, 'files', sha256));
      change((manifest) => {
        const files = manifest['files'] as { path: string }[];
        manifest['files'] = files.map((one) => (one.path === 'control.db' ? { ...one, bytes, sha256 } : one));
      });
      expect(await refusal(folder, target)).to.contain(
        'in control.db, it has a trigger "t", which Windlass did not make',
      );
    });

    it('whose secret is not the one that is set', async () => {
      const args = ['admin', 'restore', target, '--force', '--data', folder];
      const { code, stderr } = await wl(args, { WINDLASS_SECRET: 'another secret altogether' });
      expect([code, stderr]).to.satisfy(([c, e]: [number, string]) => c === 1 && e.includes('not the secret'));
    });

    it('that has something else than a regular file, which might have no end or keep the restore waiting', async () => {
      for (const file of [shard, join(target, 'erasures.log'), newestManifest(target)]) {
        for (const make of [
          () => fs.symlinkSync('/dev/zero', file),
          () => execFileSync('mkfifo', [file]),
          () => fs.mkdirSync(file),
        ]) {
          const kept = `${file}-kept`;
          fs.renameSync(file, kept);
          make();
          expect(await refusal(folder, target)).to.match(/is no regular file|there is no backup in|is missing or of/);
          fs.rmSync(file, { recursive: true });
          fs.renameSync(kept, file);
        }
      }
    });

    it('whose file is larger than its list says, before it is copied', async () => {
      fs.truncateSync(shard, 2 ** 40);
      expect(await refusal(folder, target)).to.contain('is missing or of another length');
    });

    it('when it is killed half way: the old data is served', async () => {
      // A pipe without a writer stops the restore at the log of the data, once the files are copied, until it can be killed.
      const log = join(folder, 'erasures.log');
      fs.rmSync(log, { force: true });
      execFileSync('mkfifo', [log]);
      const child = startWl(['admin', 'restore', target, '--force', '--data', folder]);
      const exited = exitOf(child);
      while (!fs.existsSync(join(folder, 'restore.partial', 'control.db'))) await new Promise(setImmediate);
      child.kill('SIGKILL');
      expect(await exited).to.equal(null);
      fs.rmSync(log);
      const served = new Served(folder);
      await served.ready();
      served.kill('SIGTERM');
      expect(await served.exited).to.deep.equal([0, null]);
    });
  });
});
