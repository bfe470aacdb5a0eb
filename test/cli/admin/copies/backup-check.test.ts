import Database from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { DataLock } from '../../../../lib/control/process/data-lock.ts';
import { DailySalt } from '../../../../lib/control/storage/daily-salt.ts';
import { encodeEntry } from '../../../../lib/erasures/entry.ts';
import { shardPath } from '../../../../lib/shards/file/shard-file.ts';
import { fileIn, readNewest } from '../../../support/backup-files.ts';
import { NOW, WriterProbe } from '../../../support/shard-rows.ts';
import { startTestService } from '../../../support/service.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { wlInside, wlJson } from '../../run-inside.ts';

/** A data folder with a project that has a shard and a journal. */
async function dataFolder(): Promise<{ folder: string; project: string; shard: string }> {
  const folder = temporaryFolder();
  await wlJson(folder, ['admin', 'org', 'create', 'A']);
  await wlJson(folder, ['admin', 'project', 'create', 'Shop']);
  const projects = await wlJson(folder, ['admin', 'project', 'list']);
  const project = Array.isArray(projects) ? String(projects[0]?.id) : '';
  const shard = shardPath(folder, project);
  writeSomething(folder, project);
  writeFileSync(join(folder, 'journal', 'w0-000000000001.log'), 'records');
  return { folder, project, shard };
}

/** Events with incompressible texts, so that the file has pages to damage. */
function writeSomething(folder: string, project: string): void {
  const probe = new WriterProbe(folder);
  const text = (): string => randomBytes(500).toString('hex');
  probe.track(
    Array.from({ length: 200 }, () => ({ event_type: 'e', event_properties: { text: text() } })),
    NOW,
    project,
  );
  probe.snapshot(project);
  probe.ask({ op: 'close' });
}

function damage(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0x5a, 8192, bytes.length - 8192);
  writeFileSync(file, bytes);
}

describe('wl admin check and wl admin backup', () => {
  it('count projects whose events are in the journal only, beside the service', async () => {
    const service = await startTestService();
    try {
      expect((await service.post('/track', { event_type: 'e' })).status).to.equal(200);
      const check = await wlInside(['admin', 'check', '--data', service.folder]);
      expect(check.stdout.trim()).to.equal('ok: control database, journal and 0 shards, with events of 1 project');
      const target = join(temporaryFolder(), 'backup');
      const backup = await wlInside(['admin', 'backup', target, '--data', service.folder]);
      expect(backup.stdout).to.match(/: events of 1 project, 0 shards copied, [\d,]+ bytes written$/m);
    } finally {
      await service.stop();
    }
  });
});

describe('a project whose file is missing', () => {
  it('is named by wl admin check, and a backup keeps the copy of the one before', async () => {
    const { folder, project, shard } = await dataFolder();
    const control = new Database(join(folder, 'control.db'));
    control
      .prepare('INSERT INTO usage (project_id, date, events_stored) VALUES (?, ?, 200)')
      .run(project, '2026-06-01');
    control.close();
    const target = join(temporaryFolder(), 'backups');
    const backUp = () => wlInside(['admin', 'backup', target, '--data', folder, '--keep', '2']);
    expect((await backUp()).code).to.equal(0);
    for (const end of ['', '-wal', '-shm']) rmSync(shard + end, { force: true });
    const check = await wlInside(['admin', 'check', '--data', folder]);
    expect([check.code, check.stdout]).to.deep.equal([1, `damaged: project ${project} (Shop)\n`]);
    expect(check.stderr).to.include('its file is missing');
    for (const nth of [1, 2]) {
      const { code, stderr } = await backUp();
      expect(code, `backup ${nth}`).to.equal(1);
      expect(stderr).to.include('its file is missing').and.include('is kept');
    }
    const restored = join(temporaryFolder(), 'data');
    await wlInside(['admin', 'restore', target, '--data', restored]);
    expect(existsSync(shardPath(restored, project))).to.equal(true);
  });
});

describe('wl admin check', () => {
  it('finds nothing in a good data folder', async () => {
    const { folder } = await dataFolder();
    expect(await wlJson(folder, ['admin', 'check'])).to.deep.equal({ ok: true, projects: 1, shards: 1, damaged: [] });
  });

  it('exits with 1 and names the project whose shard is damaged, and no other', async () => {
    const { folder, project, shard } = await dataFolder();
    writeSomething(folder, 'prj_other');
    damage(shard);
    const { code, stdout, stderr } = await wlInside(['admin', 'check', '--data', folder]);
    expect(code).to.equal(1);
    expect(stdout).to.equal(`damaged: project ${project} (Shop)\n`);
    expect(stderr).to.include(project).and.not.include('prj_other');
    const asJson = await wlInside(['admin', 'check', '--data', folder, '--json']);
    expect(asJson.code).to.equal(1);
    const { ok, damaged } = JSON.parse(asJson.stdout);
    expect([ok, damaged.length, damaged[0].project, damaged[0].name]).to.deep.equal([false, 1, project, 'Shop']);
  });

  it('finds a damaged log of erasures', async () => {
    const { folder } = await dataFolder();
    const lines = ['a', 'b', 'c'].map((project) => encodeEntry({ kind: 'project', at: 1, project }));
    const file = join(folder, 'erasures.log');
    writeFileSync(file, `${lines.join('')}0123abcd {"form`);
    expect(await wlJson(folder, ['admin', 'check'])).to.deep.include({ ok: true });
    writeFileSync(file, lines.join('').replace('"b"', '"d"'));
    const { code, stdout, stderr } = await wlInside(['admin', 'check', '--data', folder]);
    expect([code, stdout]).to.deep.equal([1, 'damaged: log of erasures\n']);
    expect(stderr).to.include('erasures.log: 1 line cannot be read');
  });

  it('finds a damaged control database', async () => {
    const { folder } = await dataFolder();
    const file = join(folder, 'control.db');
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 2 * 4096, 12 * 4096);
    writeFileSync(file, bytes);
    const { code, stdout } = await wlInside(['admin', 'check', '--data', folder]);
    expect([code, stdout]).to.deep.equal([1, 'damaged: control database\n']);
  });

  it('refuses a folder that is no data folder, and makes nothing in it', async () => {
    const folder = temporaryFolder();
    for (const command of [['check'], ['project', 'delete', 'prj_x', '--name', 'x']]) {
      const { code, stderr } = await wlInside(['admin', ...command, '--data', folder]);
      expect([code, readdirSync(folder)], command[0]).to.deep.equal([1, []]);
      expect(stderr).to.include('not a data folder');
    }
  });
});

describe('wl admin check --repair', () => {
  const check = async (folder: string): Promise<{ code: number | null; told: Record<string, unknown> }> => {
    const { code, stdout } = await wlInside(['admin', 'check', '--repair', '--json', '--data', folder]);
    return { code, told: JSON.parse(stdout) as Record<string, unknown> };
  };

  it('does nothing where nothing is to be done', async () => {
    const { folder } = await dataFolder();
    rmSync(join(folder, 'journal'), { recursive: true });
    expect(await check(folder)).to.deep.equal({
      code: 0,
      told: { ok: true, projects: 1, shards: 1, damaged: [], repaired: [] },
    });
  });

  it('removes what is half made and what was deleted, and moves aside what nobody can say whose it is', async () => {
    const { folder, project } = await dataFolder();
    rmSync(join(folder, 'journal'), { recursive: true });
    writeSomething(folder, 'prj_unknown');
    const deleted = ((await wlJson(folder, ['admin', 'project', 'create', 'Gone'])) as { id: string }).id;
    await wlJson(folder, ['admin', 'project', 'delete', deleted, '--name', 'Gone']);
    writeSomething(folder, deleted);
    writeFileSync(`${shardPath(folder, project)}.new`, 'half');
    writeFileSync(`${shardPath(folder, project)}.restore`, 'half');
    mkdirSync(join(folder, 'import.partial-999999'));
    const { code, told } = await check(folder);
    expect(code).to.equal(0);
    const where = (told['repaired'] as { where: string }[]).map((each) => each.where);
    expect(where).to.have.members([
      ...['import.partial-999999', `shards/${project}.db.new`, `shards/${project}.db.restore`],
      ...['prj_unknown', deleted],
    ]);
    expect(readdirSync(join(folder, 'shards')).filter((name) => name.endsWith('.db'))).to.deep.equal([`${project}.db`]);
    const aside = readdirSync(folder).find((name) => name.startsWith('replaced-'))!;
    expect(readdirSync(join(folder, aside, 'shards'))).to.deep.equal(['prj_unknown.db']);
    expect((await check(folder)).told['repaired']).to.deep.equal([]);
  });

  it('builds indexes anew that are damaged, and loses no event; other damage it leaves as it is, and tells', async () => {
    const { folder, project, shard } = await dataFolder();
    rmSync(join(folder, 'journal'), { recursive: true });
    const db = new Database(shard);
    const [root, size] = db
      .prepare(
        "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_master WHERE name = 'columns_place'",
      )
      .raw()
      .get() as [number, number];
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
    const bytes = readFileSync(shard);
    bytes.fill(0, (root - 1) * size + 8, (root - 1) * size + 10); // empties the index
    bytes.writeUInt16BE(0, (root - 1) * size + 3);
    writeFileSync(shard, bytes);
    expect((await wlInside(['admin', 'check', '--data', folder])).code).to.equal(1);
    const { code, told } = await check(folder);
    expect([code, told['ok']]).to.deep.equal([0, true]);
    expect(told['repaired']).to.deep.include({
      what: 'built the indexes of a damaged project anew; the damaged file is in replaced-…',
      where: project,
    });
    const mended = new Database(shard, { readonly: true });
    expect(mended.prepare('SELECT sum(rows) FROM segments').pluck().get()).to.equal(200);
    mended.close();
    damage(shard);
    const before = readFileSync(shard);
    const second = await check(folder);
    expect([second.code, second.told['repaired']]).to.deep.equal([1, []]);
    expect(readFileSync(shard).equals(before), 'what cannot be mended is not touched').to.equal(true);
  });

  it('finishes an erasure that was cut off, and waits for no service', async () => {
    const { folder, shard, project } = await dataFolder();
    rmSync(join(folder, 'journal'), { recursive: true });
    const db = new Database(shard);
    db.prepare("INSERT INTO meta VALUES ('erasing', 1)").run();
    db.close();
    const lock = DataLock.acquire(folder);
    const { code, stderr } = await wlInside(['admin', 'check', '--repair', '--data', folder]);
    lock.release();
    expect([code, stderr]).to.satisfy(
      ([exit, text]: [number, string]) => exit === 1 && text.includes('another server uses'),
    );
    expect((await check(folder)).told['repaired']).to.deep.equal([
      { what: 'finished an erasure that was cut off', where: project },
    ]);
    expect((await check(folder)).told['repaired']).to.deep.equal([]);
  });
});

describe('wl admin backup', () => {
  it('copies control database, secret, journals, shards and scripts, not the salt of the day, while a writer has them open', async () => {
    const { folder, project, shard } = await dataFolder();
    mkdirSync(join(folder, 'scripts'));
    writeFileSync(join(folder, 'scripts', 'wl.0123456789abcdef.js'), 'script');
    new DailySalt(folder).close();
    const writer = new Database(shard);
    writer.prepare('INSERT INTO meta VALUES (?, ?)').run('in the write-ahead log', 1);
    const target = join(temporaryFolder(), 'deep', 'backup');
    try {
      expect(await wlJson(folder, ['admin', 'backup', target])).to.deep.include({ projects: 1 });
    } finally {
      writer.close();
    }
    const restored = join(temporaryFolder(), 'data');
    await wlJson(restored, ['admin', 'restore', target]);
    expect(readFileSync(join(restored, 'journal', 'w0-000000000001.log'), 'utf8')).to.equal('records');
    expect(readdirSync(join(restored, 'scripts'))).to.deep.equal(['wl.0123456789abcdef.js']);
    expect(existsSync(join(restored, 'daily-salt')), 'a salt of the day in a backup').to.equal(false);
    expect(statSync(fileIn(target, 'secret')).mode & 0o777).to.equal(0o600);
    expect(await wlJson(restored, ['admin', 'check'])).to.deep.equal({ ok: true, projects: 1, shards: 1, damaged: [] });
    expect(await wlJson(restored, ['admin', 'project', 'list'])).to.deep.equal(
      await wlJson(folder, ['admin', 'project', 'list']),
    );
    const copy = new Database(shardPath(restored, project), { readonly: true });
    const rows = copy.prepare('SELECT rows FROM segments').pluck().get();
    const meta = copy.prepare("SELECT count(*) FROM meta WHERE key = 'in the write-ahead log'").pluck().get();
    copy.close();
    expect([rows, meta]).to.deep.equal([200, 1]);
  });

  it('leaves out what belongs to no project', async () => {
    const { folder } = await dataFolder();
    writeSomething(folder, 'prj_deleted');
    const target = join(temporaryFolder(), 'backup');
    expect(await wlJson(folder, ['admin', 'backup', target])).to.deep.include({ projects: 1 });
    expect(readNewest(target).files.map((file) => file.path)).to.not.include('shards/prj_deleted.db');
    expect(readdirSync(join(target, 'files'))).to.have.length(readNewest(target).files.length);
  });

  it('overwrites nothing', async () => {
    const { folder } = await dataFolder();
    const target = temporaryFolder();
    writeFileSync(join(target, 'precious'), 'x');
    const { code, stderr } = await wlInside(['admin', 'backup', target, '--data', folder]);
    expect(code).to.equal(1);
    expect(stderr).to.include('not empty');
    expect(readdirSync(target)).to.deep.equal(['precious']);
  });

  it('takes all others when a shard is damaged, names it, and keeps the copy of it that is good, whatever the number of backups', async () => {
    const { folder, project, shard } = await dataFolder();
    const other = ((await wlJson(folder, ['admin', 'project', 'create', 'Other'])) as { id: string }).id;
    writeSomething(folder, other);
    const target = join(temporaryFolder(), 'backups');
    const backUp = async (): Promise<{ code: number | null; stderr: string; made: Record<string, unknown> }> => {
      const args = ['admin', 'backup', target, '--keep', '1', '--json', '--data', folder];
      const { code, stdout, stderr } = await wlInside(args);
      return { code, stderr, made: JSON.parse(stdout) as Record<string, unknown> };
    };
    const first = await backUp();
    expect([first.code, first.made['damaged']]).to.deep.equal([0, []]);
    damage(shard);
    for (let i = 0; i < 2; i++) {
      writeSomething(folder, other);
      const { code, stderr, made } = await backUp();
      expect(code).to.equal(1);
      expect(stderr).to.include(project).and.include('wl admin check').and.not.include('bug').and.not.include(other);
      expect(made).to.include({ projects: 2, copied: 1 });
    }
    const restored = join(temporaryFolder(), 'data');
    const { damaged } = (await wlJson(restored, ['admin', 'restore', target])) as {
      damaged: Record<string, unknown>[];
    };
    const began = /\d{4}-[^/]*$/.exec(String(first.made['backup']))![0].replace(/T(..)-(..)-(..)-/, 'T$1:$2:$3.');
    expect(damaged.map((each) => [each['project'], each['as_of']])).to.deep.equal([[project, began]]);
    expect(await wlJson(restored, ['admin', 'check'])).to.deep.include({ ok: true, shards: 2 });
  });

  it('is made without a damaged shard of which no earlier copy is there', async () => {
    const { folder, shard } = await dataFolder();
    writeFileSync(shard, 'no database at all, and long enough to be read as the header of one'.repeat(200));
    const target = join(temporaryFolder(), 'backup');
    const { code, stderr } = await wlInside(['admin', 'backup', target, '--data', folder]);
    expect(code).to.equal(1);
    expect(stderr).to.include('is damaged').and.include('no earlier copy').and.not.include('bug');
    const restored = join(temporaryFolder(), 'data');
    expect(await wlJson(restored, ['admin', 'restore', target])).to.deep.include({ projects: 1 });
    expect(await wlJson(restored, ['admin', 'check'])).to.deep.equal({ ok: true, projects: 0, shards: 0, damaged: [] });
  });
});
