import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { describeApi, ROUTES } from '../../../lib/router/routes.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { record } from '../../support/open-schemas.ts';
import type { TestService } from '../../support/service.ts';
import { startTestService } from '../../support/service.ts';

const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch']);

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

  it('is OpenAPI 3.1, served to pages of any origin', async () => {
    const response = await fetch(`${test.url}/openapi.json`);
    expect(response.headers.get('access-control-allow-origin')).to.equal('*');
    expect(await response.json()).to.include({ openapi: '3.1.0' });
  });

  it('has every endpoint that there is; the files and the console of people are none', () => {
    const hidden = Object.entries(ROUTES).flatMap(([path, operations]) =>
      Object.values(operations).flatMap(({ shown }) => (shown === null ? [path] : [])),
    );
    expect(hidden.length).to.be.above(10);
    for (const path of hidden) expect(path).to.match(/^\/(?:public|console|docs)(?:\/|$)/);
  });

  it('describes the answer to a path with an escape that is none, wherever an id is in it', async () => {
    let asked = 0;
    for (const [path, item] of Object.entries(record(describeApi()['paths']))) {
      for (const method of Object.keys(record(item)).filter((name) => path.includes('{') && METHODS.has(name))) {
        const url = test.url + path.replaceAll(/\{\w+\}/g, '%ff');
        expect((await fetch(url, { method: method.toUpperCase() })).status, `${method} ${path}`).to.equal(400);
        asked++;
      }
    }
    expect(asked).to.be.above(30);
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
