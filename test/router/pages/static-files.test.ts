import { createHash } from 'node:crypto';
import fs, { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { request } from 'node:http';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { staticFiles } from '../../../lib/router/pages/static-files.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startWithoutShards } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('/public', () => {
  let test: TestService;
  before(async () => {
    test = await startWithoutShards();
  });
  after(() => test.stop());

  /** Requests a path as it is; fetch would normalize it before sending. */
  function raw(path: string): Promise<number | undefined> {
    const { hostname, port } = new URL(test.url);
    return new Promise((resolve, reject) => {
      request({ hostname, port, path }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
  }

  it('serves all files where the disk has no room for copies of scripts', async () => {
    const said: string[] = [];
    const { writeFileSync: write } = fs;
    const full = (): never => {
      throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    };
    Object.assign(fs, { writeFileSync: full });
    syncBuiltinESMExports();
    try {
      staticFiles(['dist/public'], temporaryFolder(), {
        warn: (_fields: unknown, text?: string) => said.push(text ?? ''),
      });
    } finally {
      Object.assign(fs, { writeFileSync: write });
      syncBuiltinESMExports();
    }
    expect(said).to.deep.equal(['scripts cannot be copied into the data folder']);
  });

  const TYPES = [
    ['/public/console/site.css', 'text/css; charset=utf-8'],
    ['/public/mark.svg', 'image/svg+xml'],
    ['/public/console/main.js', 'text/javascript; charset=utf-8'],
  ] as const;
  for (const [path, type] of TYPES) {
    it(`serves ${path} with its type and a tag, and 304 to who has it`, async () => {
      const response = await fetch(test.url + path);
      expect([response.status, response.headers.get('content-type')]).to.deep.equal([200, type]);
      expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
      const etag = response.headers.get('etag') ?? '';
      expect(response.headers.get('access-control-allow-origin')).to.equal('*');
      expect(response.headers.get('cross-origin-resource-policy')).to.equal('cross-origin');
      expect(etag).to.match(/^"[\w-]{22}"$/);
      expect(response.headers.get('cache-control')).to.equal('public, no-cache');
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
        const again = await fetch(test.url + path, { headers: { 'If-None-Match': known } });
        expect([again.status, await again.text(), again.headers.get('etag')]).to.deep.equal([304, '', etag]);
      }
      expect((await fetch(test.url + path, { headers: { 'If-None-Match': '"other"' } })).status).to.equal(200);
      expect((await fetch(test.url + path, { headers: { 'If-None-Match': '*' } })).status).to.equal(304);
      const head = await fetch(test.url + path, { method: 'HEAD' });
      expect([head.status, await head.text()]).to.deep.equal([200, '']);
    });
  }

  it('packs what is long, with a tag of its own for each packing', async () => {
    const tags = new Set<string | null>();
    for (const [accepted, packing] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
      ['br;q=0.2, gzip;q=0.5', 'gzip'],
      ['gzip; q=0.5, br; q=0.5', 'br'],
      ['gzip;q=0', null],
      ['identity', null],
    ] as const) {
      const response = await fetch(`${test.url}/public/wl.js`, { headers: { 'Accept-Encoding': accepted } });
      expect(response.headers.get('content-encoding'), accepted).to.equal(packing);
      expect(response.headers.get('vary')).to.equal('Accept-Encoding');
      expect(await response.text()).to.equal(readFileSync('dist/public/wl.js', 'utf8'));
      tags.add(response.headers.get('etag'));
    }
    expect(tags.size).to.equal(3);
    const mark = await fetch(`${test.url}/public/mark.svg`);
    expect([mark.headers.get('content-encoding'), mark.headers.get('vary')]).to.deep.equal([null, null]);
  });

  it('serves the script under a name with its hash for ever, as scripts.json tells with its integrity', async () => {
    const scripts = (await jsonOf(await fetch(`${test.url}/public/scripts.json`))) as Record<
      string,
      { path: string; integrity: string }
    >;
    const { path, integrity } = scripts['wl.js']!;
    expect(path).to.match(/^\/public\/wl\.[0-9a-f]{16}\.js$/);
    const response = await fetch(test.url + path, { integrity });
    expect(response.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
    expect(await response.text()).to.equal(readFileSync('dist/public/wl.js', 'utf8'));
    expect((await fetch(`${test.url}/public/wl.js`)).headers.get('cache-control')).to.match(/^public, max-age=300,/);
  });

  it('serves wl and windlass-client as packages, not packed again, the latter also under a name for lock files', async () => {
    const scripts = (await jsonOf(await fetch(`${test.url}/public/scripts.json`))) as Record<string, { path: string }>;
    const pinned = scripts['windlass-client.tgz']!.path;
    expect(pinned).to.match(/^\/public\/windlass-client\.[0-9a-f]{16}\.tgz$/);
    expect(existsSync(join(test.folder, 'scripts', basename(pinned))), 'kept for later releases').to.equal(true);
    for (const [path, file, fresh] of [
      ['/public/wl.tgz', 'wl.tgz', 'no-cache'],
      [pinned, 'windlass-client.tgz', 'immutable'],
    ] as const) {
      const response = await fetch(test.url + path);
      const { headers } = response;
      expect([response.status, headers.get('content-type'), headers.get('content-encoding')]).to.deep.equal([200, 'application/gzip', null]); // prettier-ignore
      expect(headers.get('cache-control')).to.include(fresh);
      expect(Buffer.from(await response.arrayBuffer()).equals(readFileSync(join('dist/public', file)))).to.equal(true);
      const known = { headers: { 'If-None-Match': headers.get('etag') ?? '' } };
      expect((await fetch(test.url + path, known)).status).to.equal(304);
    }
  });

  it('keeps scripts of earlier versions, and nothing that is not what its name says', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'scripts'));
    const old = 'console.log("of an earlier version")';
    const name = `wl.${createHash('sha256').update(old).digest('hex').slice(0, 16)}.js`;
    writeFileSync(join(folder, 'scripts', name), old);
    writeFileSync(join(folder, 'scripts', 'wl.0123456789abcdef.js'), 'other');
    const later = await startWithoutShards({ WINDLASS_DATA: folder });
    const kept = await fetch(`${later.url}/public/${name}`);
    expect(await kept.text()).to.equal(old);
    expect((await fetch(`${later.url}/public/wl.0123456789abcdef.js`)).status).to.equal(404);
    await later.service.close();
  });

  it('serves the one style sheet and the one script of a page', async () => {
    const document = await (await fetch(test.url)).text();
    const paths = [...document.matchAll(/<(?:link rel="stylesheet" href|script type="module" src)="([^"]+)"/g)].map(([, path = '']) => path); // prettier-ignore
    const served = await Promise.all(
      paths.map(async (path) => {
        const response = await fetch(test.url + path);
        return [path, response.status, response.headers.get('content-type')];
      }),
    );
    expect(served).to.deep.equal([
      ['/public/console/site.css', 200, 'text/css; charset=utf-8'],
      ['/public/console/site.js', 200, 'text/javascript; charset=utf-8'],
    ]);
  });

  it('answers 404 in JSON for what is not there, or not meant to be served', async () => {
    for (const path of ['/public/', '/public/nothing.js', '/public/console', '/public/tsconfig.json']) {
      const response = await fetch(test.url + path);
      expect([path, response.status, (await jsonOf(response))['code']]).to.deep.equal([path, 404, 'not_found']);
    }
  });

  it('leads out of its folder on no path', async () => {
    const paths = [
      '/public/../package.json',
      '/public/console/../../package.json',
      '/public/%2e%2e/package.json',
      '/public/..%2fpackage.json',
      '/public/..%5cpackage.json',
      '/public//etc/passwd',
      '/public/%00',
      '/public/console/%2e%2e/mark.svg',
      '/public/__proto__',
      '/public/constructor',
    ];
    for (const path of paths) expect([path, await raw(path)]).to.deep.equal([path, 404]);
  });
});
