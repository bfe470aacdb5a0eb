import { request } from 'node:http';
import { expect } from 'chai';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startTestService } from '../../support/service.ts';

describe('/public', () => {
  let test: TestService;
  before(async () => {
    test = await startTestService();
  });
  after(() => test.stop());

  /** A path as it stands, which fetch would clean up before it sends it. */
  function raw(path: string): Promise<number | undefined> {
    const { hostname, port } = new URL(test.url);
    return new Promise((resolve, reject) => {
      request({ hostname, port, path }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
  }

  const TYPES = [
    ['/public/styles/base.css', 'text/css; charset=utf-8'],
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
      const head = await fetch(test.url + path, { method: 'HEAD' });
      expect([head.status, await head.text()]).to.deep.equal([200, '']);
    });
  }

  it('serves every style sheet that a page names', async () => {
    const document = await (await fetch(test.url)).text();
    const sheets = [...document.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, path]) => path!);
    expect(sheets).to.have.length(7);
    for (const path of sheets) {
      const response = await fetch(test.url + path);
      expect([path, response.status, response.headers.get('content-type')]).to.deep.equal([
        path,
        200,
        'text/css; charset=utf-8',
      ]);
    }
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
