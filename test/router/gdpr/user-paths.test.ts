import { expect } from 'chai';
import { request as httpRequest } from 'node:http';
import { readConfig } from '../../../lib/base/config/config.ts';
import { startService, type RunningService } from '../../../lib/server/service.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { keptLog } from '../../support/kept-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ID = 'person@example.org';

/** Paths are sent exactly as written here: clients that normalize them would hide what the server does. */
describe('paths of /api/gdpr', () => {
  const { log, lines } = keptLog();
  let service: RunningService;
  let key = '';
  before(async () => {
    const settings = { WINDLASS_ADDR: '127.0.0.1:0', WINDLASS_METRICS_ADDR: '127.0.0.1:0', WINDLASS_THREADS: '1' };
    service = await startService({ config: readConfig({ ...settings, WINDLASS_DATA: temporaryFolder() }), log });
    key = service.defaults?.secretKey ?? '';
  });
  after(() => service.close());

  const ask = (
    method: string,
    path: string,
    headers: Record<string, string> = { 'X-API-Key': key },
  ): Promise<[number, string]> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(service.url);
      const asked = httpRequest({ hostname, port, method, path: `/api/gdpr/users/${path}`, headers }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => (body += text));
        response.on('end', () => resolve([response.statusCode ?? 0, body]));
      });
      asked.on('error', reject).end();
    });

  it('take .. and . as the ids that they are', async () => {
    for (const id of ['..', '.', '%2e%2e', '..%2f..%2fcontrol.db']) {
      expect(await ask('DELETE', id)).to.deep.equal([200, '{"deleted":{"events":0,"profiles":0,"devices":0}}']);
      expect(await ask('GET', `${id}/export`)).to.deep.equal([200, '']);
    }
  });

  it('are 400 with a percent that means nothing, 404 with a slash that is not encoded, and take no other method', async () => {
    for (const [method, path, status] of [
      ['DELETE', '%zz', 400],
      ['GET', '%c3%28/export', 400],
      ['DELETE', 'a/b', 404],
      ['GET', 'a/b/export', 404],
      ['DELETE', '', 404],
      ['GET', 'a', 405],
      ['HEAD', 'a/export', 405],
    ] as const) {
      const [answered, body] = await ask(method, path);
      expect(answered, `${method} ${path}`).to.equal(status);
      if (method !== 'HEAD') expect(JSON.parse(body)).to.have.property('error');
      if (status === 400) expect(body).to.include('100% is 100%25').and.not.to.include(path.split('/')[0]);
    }
  });

  it('are in no log and in no metric, whatever comes of the request', async () => {
    lines.length = 0;
    const encoded = encodeURIComponent(ID);
    for (const path of [encoded, `${encoded}%zz`, `${encoded}/more`]) {
      await ask('DELETE', path);
      await ask('GET', `${path}/export`);
      await ask('DELETE', path, {});
      await ask('DELETE', path, { 'X-API-Key': 'sk_wrong' });
    }
    expect(lines.length).to.be.above(5);
    const { host, port } = service.metricsAddress!;
    const metrics = await (await fetch(`http://${host}:${port}/metrics`)).text();
    expect(metrics).to.contain('endpoint="/api/gdpr/users/:userID"');
    for (const text of [lines.join(''), metrics]) expect(text).not.to.contain(ID).and.not.to.contain('person');
  });
});
