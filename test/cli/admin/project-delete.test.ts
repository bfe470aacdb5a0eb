import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { filesWith } from '../../support/files-with.ts';
import { Served } from '../../support/served.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { wlJson } from '../run-inside.ts';
import { wl } from '../run-wl.ts';

const MARK = 'zebra-of-the-deleted-project';

describe('wl admin project delete', () => {
  it('beside a running service: when it is answered, the keys have stopped and no byte of the events is left', async () => {
    const { folder, gone, url, served } = await start();
    await track(url, gone.key, MARK);
    const counted = await fetch(`${url}/query`, {
      method: 'POST',
      headers: { 'x-api-key': gone.secret, 'content-type': 'application/json' },
      body: JSON.stringify({ q: '* | count', format: 'json' }),
    });
    expect(await counted.json()).to.deep.equal([{ count: 1 }]);
    await track(url, gone.key, MARK); // one is sealed, one is in the journal
    expect(filesWith(folder, MARK)).to.not.deep.equal([]);
    const wrong = await wl(['admin', 'project', 'delete', gone.id, '--name', 'Another', '--data', folder]);
    expect(wrong.code).to.not.equal(0);
    expect(wrong.stderr).to.include('not named');
    expect((await track(url, gone.key, MARK)).status).to.equal(200);
    const deleted = await wlJson(folder, ['admin', 'project', 'delete', gone.id, '--name', 'Gone']);
    expect(deleted).to.deep.equal({ deleted: true, id: gone.id });
    expect(filesWith(folder, MARK)).to.deep.equal([]);
    expect(fs.readdirSync(path.join(folder, 'shards')).filter((file) => file.startsWith(gone.id))).to.deep.equal([]);
    expect((await track(url, gone.key, MARK)).status).to.equal(401);
    served.kill('SIGTERM');
    await served.exited;
  });

  it('without a service: removes what lies in the shard and in the journal', async () => {
    const { folder, gone, kept, url, served } = await start();
    await track(url, gone.key, MARK);
    await track(url, kept.key, 'kept');
    served.kill('SIGKILL'); // what was acknowledged is only in the journal
    await served.exited;
    expect(filesWith(folder, MARK)).to.not.deep.equal([]);
    await wlJson(folder, ['admin', 'project', 'delete', gone.id, '--name', 'Gone']);
    expect(filesWith(folder, MARK)).to.deep.equal([]);
    expect(filesWith(folder, '"kept"')).to.not.deep.equal([]);
  });
});

interface Made {
  readonly id: string;
  readonly key: string;
  readonly secret: string;
}

interface Started {
  readonly folder: string;
  readonly gone: Made;
  readonly kept: Made;
  readonly served: Served;
  readonly url: string;
}

/** A service in its own process: this one would release its locks by reading the files. */
async function start(): Promise<Started> {
  const folder = temporaryFolder();
  await wlJson(folder, ['admin', 'org', 'create', 'Acme']);
  const gone = await projectOf(folder, 'Gone');
  const kept = await projectOf(folder, 'Kept');
  const served = new Served(folder);
  return { folder, gone, kept, served, url: await served.ready() };
}

function track(url: string, key: string, user: string): Promise<Response> {
  return fetch(`${url}/track`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ event_type: 'e', user_id: user }),
  });
}

async function projectOf(folder: string, name: string): Promise<Made> {
  const made: unknown = await wlJson(folder, ['admin', 'project', 'create', name]);
  const { id, public_key: key, secret_key: secret } = { id: '', public_key: '', secret_key: '', ...Object(made) };
  return { id: String(id), key: String(key), secret: String(secret) };
}
