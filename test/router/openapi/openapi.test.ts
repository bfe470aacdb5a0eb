import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { readConfig } from '../../../lib/base/config/config.ts';
import { DailySalt } from '../../../lib/control/storage/daily-salt.ts';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { silentLog } from '../../../lib/base/log.ts';
import { createApp } from '../../../lib/router/app.ts';
import { createContext } from '../../../lib/router/context.ts';
import { Lifecycle } from '../../../lib/router/lifecycle.ts';
import { describeApi } from '../../../lib/router/openapi/openapi.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { record } from '../../support/open-schemas.ts';
import type { TestService } from '../../support/service.ts';
import { startTestService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

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

  it('has every endpoint that there is, and no other; the files and the console of people are none', async () => {
    const described = Object.entries(record(describeApi()['paths'])).flatMap(([path, item]) =>
      Object.keys(record(item)).flatMap((method) => (METHODS.has(method) ? [`${method} ${path}`] : [])),
    );
    const served = (await routes()).filter((route) => !/^get \/(?:public|console)(?:\/|$)/.test(route));
    expect(served.sort()).to.deep.equal(described.sort());
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

/** The application's routes in express: `get /api/orgs/{orgID}`. */
async function routes(): Promise<string[]> {
  const config = readConfig({ WINDLASS_DATA: temporaryFolder() });
  const control = await ControlDatabase.open(config.data, { secret: null });
  const salt = new DailySalt(config.data);
  const services = { config, control, salt, log: silentLog(), store: new MemoryStore(), lifecycle: new Lifecycle() };
  const context = createContext({ ...services, publicUrl: () => 'http://localhost', webhooks: null });
  const layers = createApp(context).router.stack.flatMap(({ route }) => (route === undefined ? [] : [route]));
  context.bodies.close();
  salt.close();
  await control.close();
  return layers.flatMap(({ path, stack }) =>
    stack.flatMap(({ method }) => (METHODS.has(method) ? [`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`] : [])),
  );
}
