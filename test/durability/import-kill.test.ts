import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import Database from 'better-sqlite3';
import { ControlDatabase } from '../../lib/control/database.ts';
import { shardPath } from '../../lib/shards/file/shard-file.ts';
import { wlJson } from '../cli/run-inside.ts';
import { runProgram } from '../cli/run-program.ts';
import { tries } from '../support/campaign.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { NOW, WriterProbe } from '../support/shard-rows.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { removeHalfMade } from '../../lib/backup/half-made.ts';

const WL = fileURLToPath(new URL('../../bin/wl.js', import.meta.url));
const EVENTS = 5_000;
const KILLS = tries(2);
const BY = { name: 'test', ip: null };

describe('kill -9 while a project is imported', function () {
  this.timeout(tries(600_000));

  it('leaves all of the project or nothing of it, and what is half made goes with the next import', async () => {
    const [from, to] = [temporaryFolder(), temporaryFolder()];
    const control = await ControlDatabase.open(from, { secret: null });
    const { id } = (
      await control.projects.create((await control.organizations.create('A')).organization.id, 'Shop', BY)
    ).project;
    await control.close();
    const probe = new WriterProbe(from);
    const text = (): string => randomBytes(500).toString('hex');
    for (let sent = 0; sent < EVENTS; sent += 1_000)
      probe.track(
        Array.from({ length: 1_000 }, () => ({ event_type: 'e', event_properties: { text: text() } })),
        NOW,
        id,
      );
    probe.snapshot(id);
    probe.ask({ op: 'close' });
    const file = join(temporaryFolder(), 'shop.windlass');
    await wlJson(from, ['admin', 'project', 'export', id, file]);
    await wlJson(to, ['admin', 'org', 'create', 'B']);
    for (let kill = 0; kill < KILLS; kill++) {
      const before = new Set(await projectsOf(to));
      const env = { PATH: process.env['PATH'], ...COMPILE_CACHE, WINDLASS_DATA: to };
      const child = spawn(process.execPath, [WL, 'admin', 'project', 'import', file], { env, stdio: 'ignore' });
      const exited = once(child, 'exit');
      const left = partials(to);
      while (partials(to).every((name) => left.includes(name)) && child.exitCode === null) await sleep(1);
      await sleep((kill * 37) % 120);
      child.kill('SIGKILL');
      await exited;
      for (const project of await projectsOf(to))
        if (!before.has(project)) expect(rowsOf(to, project)).to.equal(EVENTS);
      // A file may be in place before its project exists.
      const placing = partials(to)
        .map((name) => join(to, name, 'placing'))
        .filter(fs.existsSync);
      const projects = await projectsOf(to);
      const unborn = placing.map((note) => fs.readFileSync(note, 'utf8')).filter((id) => !projects.includes(id));
      expect(shardsOf(to).filter((shard) => !unborn.includes(shard))).to.have.members(projects);
    }
    await wlJson(to, ['admin', 'project', 'import', file]);
    expect(partials(to)).to.deep.equal([]);
    expect(shardsOf(to)).to.have.members(await projectsOf(to));
    expect(await wlJson(to, ['admin', 'check'])).to.include({ ok: true });
  });

  it('leaves a file of no project where the crash came before its rows, which goes', async () => {
    const data = temporaryFolder();
    const control = await ControlDatabase.open(data, { secret: null });
    const { id } = (
      await control.projects.create((await control.organizations.create('A')).organization.id, 'Shop', BY)
    ).project;
    const unborn = 'prj_AAAAAAAAAAAAAAAAAAAAAA';
    fs.mkdirSync(join(data, 'shards'));
    const gone = await runProgram(process.execPath, ['-p', 'process.pid'], { env: {} });
    for (const [nth, project] of [id, unborn].entries()) {
      fs.writeFileSync(shardPath(data, project), '');
      const partial = join(data, `import.partial-${Number(gone.stdout) + nth * 10_000_000}`);
      fs.mkdirSync(partial);
      fs.writeFileSync(join(partial, 'placing'), project);
    }
    await removeHalfMade(data, control);
    await control.close();
    expect([partials(data), shardsOf(data)]).to.deep.equal([[], [id]]);
  });
});

const shardsOf = (folder: string): string[] => {
  const shards = join(folder, 'shards');
  const names = fs.existsSync(shards) ? fs.readdirSync(shards) : [];
  return names.filter((name) => name.endsWith('.db')).map((name) => name.replace('.db', ''));
};

const partials = (folder: string): string[] =>
  fs.readdirSync(folder).filter((name) => name.startsWith('import.partial-'));

async function projectsOf(folder: string): Promise<string[]> {
  const control = await ControlDatabase.open(folder, { secret: null });
  try {
    return (await control.projects.list()).map(({ id }) => id);
  } finally {
    await control.close();
  }
}

function rowsOf(folder: string, project: string): number {
  const shard = new Database(shardPath(folder, project), { readonly: true });
  try {
    return Number(shard.prepare('SELECT sum(rows) FROM segments WHERE live = 1').pluck().get());
  } finally {
    shard.close();
  }
}
