import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ofOthers } from '../../lib/base/files/private-files.ts';
import { ControlDatabase } from '../../lib/control/database.ts';
import { jsonOf } from '../support/service.ts';
import { Served } from '../support/served.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { wl } from '../cli/run-wl.ts';

/** Files below a folder that others have any rights to. */
function open(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return paths.filter((path) => (statSync(path).mode & 0o077) !== 0);
}

describe('files of a data folder', () => {
  it('are made for the owner alone, by a server, by wl admin and by a backup, in threads too', async () => {
    const folder = join(temporaryFolder(), 'new');
    const server = new Served(folder);
    const url = await server.ready();
    const key = server.secretKey;
    const headers = { 'X-API-Key': key };
    await fetch(`${url}/track`, { method: 'POST', headers, body: '{"event_type":"a"}' });
    const asked = await fetch(`${url}/query`, {
      method: 'POST',
      headers,
      body: '{"q":"a","format":"json","envelope":true}',
    });
    expect(await jsonOf(asked)).to.include({ total: 1 });
    const backup = join(temporaryFolder(), 'backup');
    expect((await wl(['admin', 'backup', backup, '--data', folder])).code).to.equal(0);
    expect(existsSync(join(folder, 'shards'))).to.equal(true);
    expect([...open(folder), ...open(backup)]).to.deep.equal([]);
    expect([statSync(folder).mode & 0o777, statSync(backup).mode & 0o777]).to.deep.equal([0o700, 0o700]);
    server.kill('SIGTERM');
    await server.exited;
    expect(existsSync(join(folder, 'address'))).to.equal(false);
    const made = join(temporaryFolder(), 'made');
    expect((await wl(['admin', 'org', 'create', 'Acme', '--data', made])).code).to.equal(0);
    expect(open(made)).to.deep.equal([]);
  });

  it('of an earlier release are closed to others at the start, and a folder that others may read is told of', async () => {
    const folder = temporaryFolder();
    await (await ControlDatabase.open(folder, { secret: null })).close();
    mkdirSync(join(folder, 'shards'), { mode: 0o755 });
    mkdirSync(join(folder, 'journal'), { mode: 0o755 });
    for (const name of ['control.db', 'secret']) chmodSync(join(folder, name), 0o644);
    chmodSync(folder, 0o755);
    const server = new Served(folder);
    await server.ready();
    server.kill('SIGTERM');
    await server.exited;
    expect(open(folder)).to.deep.equal([]);
    expect(statSync(folder).mode & 0o777, "the operator's own").to.equal(0o755);
    const warnings = server.stderr.split('\n').filter((line) => line.includes('other accounts on this machine'));
    expect(warnings.map((line) => (JSON.parse(line) as { path: string; mode: string }).path)).to.deep.equal([folder]);
  });

  it('are told where they belong to another account than the folder', async () => {
    const folder = temporaryFolder();
    await (await ControlDatabase.open(folder, { secret: null })).close();
    mkdirSync(join(folder, 'shards'));
    writeFileSync(join(folder, 'shards', 'prj_a.db'), '');
    expect(ofOthers(folder)).to.deep.equal([]);
    const all = ofOthers(folder, statSync(folder).uid + 1);
    expect(all).to.include.members(['control.db', 'secret', 'shards', 'shards/prj_a.db']);
  });
});
