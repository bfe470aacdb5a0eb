import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { describeApi } from '../../lib/router/openapi.ts';
import { fetch } from '../support/checked-fetch.ts';
import type { TestService } from '../support/service.ts';
import { startTestService } from '../support/service.ts';

describe('/openapi.json', () => {
  let test: TestService;
  const ajv = new Ajv2020({ strict: false });
  before(async () => {
    ajv.addSchema(describeApi(), 'api');
    test = await startTestService();
  });
  after(() => test.stop());

  async function expectAs(schema: string, response: Response): Promise<void> {
    const body: unknown = await response.json();
    const check = ajv.compile({ $ref: `api#/components/schemas/${schema}` });
    expect(check(body), `${schema}: ${JSON.stringify(body)} ${JSON.stringify(check.errors)}`).to.equal(true);
  }

  it('is OpenAPI 3.1 and lists every endpoint there is', async () => {
    const described: unknown = await (await fetch(`${test.url}/openapi.json`)).json();
    expect(described).to.have.property('openapi', '3.1.0');
    for (const [path, methods] of Object.entries(pathsOf(described))) {
      for (const method of ['get', 'post', 'put', 'patch', 'delete']) {
        const { status } = await fetch(test.url + path, { method: method.toUpperCase() });
        expect(status, `${method} ${path}`).to.not.equal(404);
        expect(status === 405, `${method} ${path} is ${status}`).to.equal(!(method in methods));
      }
    }
  });

  it('describes what the endpoints answer', async () => {
    const ndjson = { 'Content-Type': 'application/x-ndjson' };
    await expectAs('Accepted', await test.post('/track', { event_type: 'a' }));
    await expectAs('Accepted', await test.post('/track?report=true', { events: [{}] }));
    await expectAs('StreamResult', await test.post('/track', '{"event_type":"a"}\n{}\n', ndjson));
    await expectAs(
      'Identified',
      await test.post('/identify', { user_id: 'a', user_property_ops: { $add: { x: 'y' } } }),
    );
    await expectAs('Rows', await test.post('/query', { q: '*', format: 'json' }));
    await expectAs('Envelope', await test.post('/query', { q: '*', format: 'json', envelope: true }));
    await expectAs('Explanation', await test.post('/query', { q: '*', explain: true }));
    await expectAs('Error', await test.post('/query', { q: '* |' }));
    await expectAs('Error', await test.post('/track', '', { 'X-API-Key': 'sk_wrong' }));
  });
});

function pathsOf(described: unknown): Record<string, object> {
  const paths = typeof described === 'object' && described !== null && 'paths' in described ? described.paths : null;
  if (typeof paths !== 'object' || paths === null) throw new Error('no paths');
  const entries: [string, unknown][] = Object.entries(paths);
  return Object.fromEntries(
    entries.map(([path, methods]) => [path, typeof methods === 'object' && methods !== null ? methods : {}]),
  );
}
