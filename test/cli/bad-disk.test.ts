import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { sumOfFile } from '../../lib/backup/whole-file.ts';
import { shardPath } from '../../lib/shards/file/shard-file.ts';
import { NOW, WriterProbe } from '../support/shard-rows.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { wlInside, wlJson } from './run-inside.ts';
import { PROGRAM } from './run-wl.ts';

/** Half a KiB each: room for the control database, but not for the shard. */
const BLOCKS = 700;
/** Reading its beginning is an I/O error (EIO), as with a bad sector. */
const UNREADABLE = '/proc/self/mem';

describe('wl admin on a disk that is full or broken', () => {
  const folder = join(temporaryFolder(), 'data');
  const elsewhere = temporaryFolder();
  const backups = join(elsewhere, 'backups');
  const ids: string[] = [];
  const admin = (...args: string[]): Promise<unknown> => wlJson(folder, ['admin', ...args]);

  before(async () => {
    await admin('org', 'create', 'A');
    for (const name of ['Small', 'Large']) {
      const made = (await admin('project', 'create', name)) as { id: string };
      ids.push(made.id);
      fill(folder, made.id, name === 'Large' ? 400 : 1);
    }
    await admin('backup', backups, '--keep', '3');
  });

  /** Runs `wl` in a shell that limits the size of files: writing beyond the limit fails as on a full disk. */
  function limited(...args: string[]): Promise<string> {
    const script = `ulimit -f ${BLOCKS}; exec "$0" "$@"`;
    const line = ['-c', script, process.execPath, PROGRAM, 'admin', ...args, '--data', folder];
    return new Promise((resolve) => {
      execFile('sh', line, (error, stdout, stderr) => resolve(`${error?.code ?? 0} ${stdout}${stderr}`));
    });
  }

  it('says that a backup has no room, leaves earlier ones as they are, and makes it when there is', async () => {
    fill(folder, ids[1]!, 1); // so that the shard must be copied
    const before = contentOf(elsewhere);
    const said = await limited('backup', backups, '--keep', '3');
    expect(said).to.match(/^1 wl: the backup cannot be written to \S+ \(\w+\)\n {2}look at its free space/);
    expect(contentOf(elsewhere)).to.deep.equal(before);
    const made = await admin('backup', backups, '--keep', '3');
    expect(made).to.deep.include({ projects: 2, damaged: [] });
  });

  it('has the doctor say that nothing can be written, beside what else it finds', async () => {
    const said = await limited('doctor');
    expect(said)
      .to.contain('MEND  disk: a file cannot be written (EFBIG)\n')
      .and.contain('ok    control database: good');
    expect(said).to.match(/^1 /).and.contain('wl: disk: make room on the disk, or mend it or its permissions');
  });

  it('says of a service that cannot start what is the matter, and not that it is a bug', async () => {
    const lock = join(folder, 'lock');
    fs.rmSync(lock, { force: true });
    fs.mkdirSync(lock); // cannot be opened, as that of another account
    const served = await wlInside(['serve', '--data', folder, '--addr', '127.0.0.1:0', '--metrics-addr', 'none']);
    const doctor = await wlInside(['admin', 'doctor', '--data', folder]);
    fs.rmdirSync(lock);
    expect([served.code, served.stdout]).to.deep.equal([1, '']);
    expect(served.stderr).to.match(/^wl: unable to open database file \(SQLITE_CANTOPEN\w*\)\n {2}Look at the free space/);
    expect(doctor.stdout).to.match(/\nMEND {2}server: its lock cannot be read \(SQLITE_\w+\)\n/);
  }); // prettier-ignore

  it('names the project whose shard cannot be opened, and the cause', async () => {
    const log = `${shardPath(folder, ids[0]!)}-wal`;
    fs.rmSync(log, { force: true });
    fs.mkdirSync(log);
    const { code, stderr } = await wlInside(['admin', 'check', '--data', folder]);
    fs.rmdirSync(log);
    expect(code).to.equal(1);
    expect(stderr)
      .to.match(new RegExp(`^wl: damaged: project ${ids[0]} \\(Small\\)`))
      .and.contain('SQLITE_CANTOPEN');
  });

  it('says that an import has no room, changes nothing, and does it when there is', async () => {
    const file = join(elsewhere, 'large.windlass');
    await admin('project', 'export', ids[1]!, file);
    const projects = await admin('project', 'list');
    const before = contentOf(join(folder, 'shards'));
    const said = await limited('project', 'import', file);
    expect(said).to.match(
      /^1 wl: \S+ cannot be written \(EFBIG\)\n {2}look at its free space and permissions; nothing/,
    );
    expect(await admin('project', 'list')).to.deep.equal(projects);
    expect(contentOf(join(folder, 'shards'))).to.deep.equal(before);
    expect(fs.readdirSync(folder).filter((name) => name.includes('partial'))).to.deep.equal([]);
    const made = (await admin('project', 'import', file)) as { id: string };
    expect(await admin('check')).to.deep.include({ ok: true, shards: 3 });
    await admin('project', 'delete', made.id, '--name', 'Large');
  });

  it('names the one project whose file cannot be read, takes all others, and keeps the good copy of that one', async () => {
    const shard = shardPath(folder, ids[1]!);
    fs.renameSync(shard, `${shard}-good`);
    fs.symlinkSync(UNREADABLE, shard);
    const { code, stdout, stderr } = await wlInside(['admin', 'backup', backups, '--keep', '3', '--data', folder, '--json']);
    const checked = await wlInside(['admin', 'check', '--data', folder]);
    fs.renameSync(`${shard}-good`, shard);
    expect([checked.code, checked.stdout]).to.deep.equal([1, `damaged: project ${ids[1]} (Large)\n`]);
    expect([code, stderr.includes('its file cannot be read (EIO)')]).to.deep.equal([1, true]);
    const { projects, damaged } = JSON.parse(stdout) as { projects: number; damaged: { project: string; as_of: string }[] };
    expect([projects, damaged.map(({ project }) => project)]).to.deep.equal([2, [ids[1]]]);
    expect(damaged[0]?.as_of).to.match(/^\d{4}-/);
    const before = await admin('project', 'list');
    await admin('restore', backups, '--force');
    expect(await admin('project', 'list')).to.deep.equal(before);
    expect(await admin('check')).to.deep.include({ ok: true, shards: 2 });
  }); // prettier-ignore

  it('makes no backup where the journal cannot be read, says so, and leaves earlier ones as they are', async () => {
    const journal = join(folder, 'journal', 'w0of1-000000000009-0011223344556677.log');
    fs.symlinkSync(UNREADABLE, journal);
    const before = contentOf(elsewhere);
    const { code, stdout, stderr } = await wlInside(['admin', 'backup', backups, '--keep', '3', '--data', folder]);
    fs.rmSync(journal);
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.match(/^wl: no backup was made: a file of \S+ or \S+ cannot be read \(EIO\)\n/);
    expect(contentOf(elsewhere)).to.deep.equal(before);
  });
});

/** Seals events with incompressible texts, about 3 KB each. */
function fill(folder: string, project: string, count: number): void {
  const probe = new WriterProbe(folder);
  const text = (): string => randomBytes(1_500).toString('hex');
  const events = Array.from({ length: count }, () => ({ event_type: 'e', event_properties: { text: text() } }));
  probe.track(events, NOW, project);
  probe.snapshot(project);
  probe.ask({ op: 'close' });
}

/** The checksums of all files in a folder, by name. */
function contentOf(folder: string): Record<string, string> {
  const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [join(parentPath, name), sumOfFile(join(parentPath, name)).sha256]),
  );
}
