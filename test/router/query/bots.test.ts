import { expect } from 'chai';
import { jsonOf, startTestService, type TestService } from '../../support/service.ts';
import { send } from '../../support/tenants.ts';

const PERSON = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Safari/605.1.15'; // prettier-ignore
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

describe('events of bots', () => {
  let test: TestService;
  const track = async (agent: string, event: object): Promise<void> => {
    const response = await test.post('/track', { clientOriginated: true, ...event }, { 'User-Agent': agent });
    expect(response.status).to.equal(200);
  };
  before(async () => {
    test = await startTestService();
    for (const path of ['/', '/pricing'])
      await track(PERSON, { event_type: 'page_view', device_id: 'd', session_id: 's', event_properties: { path } });
    for (const path of ['/', '/a', '/b'])
      await track(BOT, { event_type: 'page_view', device_id: 'bot', session_id: 'b', event_properties: { path } });
    await track('curl/8.5.0', { event_type: 'page_view', device_id: 'tool' });
  });
  after(() => test.stop());

  const rows = (q: string): Promise<Record<string, unknown>[]> => test.rows(q);
  /** The answer with its notes, as people read it. */
  const text = async (q: string): Promise<string> => (await test.post('/query', { q })).text();
  const NOTE = '3 events of bots in this range are left out; `with bots` counts them.';

  it('are left out of the answers of a new project, with a note of how many', async () => {
    expect(await rows('page_view | count')).to.deep.equal([{ count: 3 }]);
    expect(await text('page_view | count')).to.include(NOTE);
    expect((await rows('* | unique'))).to.deep.equal([{ unique: 2 }]);
    expect((await rows('* | where event_properties.path = "/" or not session_id exists | count'))).to.deep.equal([{ count: 2 }]); // prettier-ignore
    expect((await rows('sessions | count by session.landing_path'))).to.have.lengthOf(1);
    expect((await rows('funnel page_view -> page_view'))[0]).to.include({ users: 2 });
    expect((await rows('* | list'))).to.have.lengthOf(3);
    expect((await rows('page_view | people'))).to.have.lengthOf(2);
    expect(await rows('* | all | count by event_type')).to.deep.equal([{ event_type: 'page_view', count: 3 }]);
    expect((await rows('inspect *'))[0]).to.include({ event_type: 'page_view', count: 3 });
  }); // prettier-ignore

  it('come back with `with bots`, and where a query speaks of types of devices', async () => {
    expect(await rows('page_view | with bots | count')).to.deep.equal([{ count: 6 }]);
    expect(await text('page_view | with bots | count')).not.to.match(/bots/);
    expect(await rows('* | where _device_type = "bot" | count')).to.deep.equal([{ count: 3 }]);
    const types = await rows('* | count by _device_type');
    expect(types).to.deep.include({ _device_type: 'bot', count: 3 });
    expect((await rows('funnel page_view[_device_type = "bot"] -> page_view'))[0]).to.include({ users: 1 }); // prettier-ignore
  });

  it('says nothing where the range has none', async () => {
    expect(await text('* | yesterday | count')).not.to.match(/bots/);
  });

  it('still tells what is stored at other times', async () => {
    expect(await text('sessions | yesterday | by session.landing_path')).to.match(/stored at other times/);
  });

  it('are exported whatever the setting', async () => {
    const exported = await (await send(test, ['GET', '/export'], { key: test.keys.secretKey })).text();
    expect(exported.split('\n').filter((line) => line.includes('"bot"'))).to.have.lengthOf(3);
  });

  it('are deleted whatever the setting', async () => {
    const body = { event: 'page_view', dry_run: true };
    const told = await jsonOf(await send(test, ['DELETE', '/events'], { key: test.keys.secretKey }, body));
    expect(JSON.stringify(told)).to.match(/:6\b/);
  });

  it('count in what people did, whatever the setting', async () => {
    for (const agent of [PERSON, BOT, BOT]) await track(agent, { event_type: 'visit', device_id: 'both' });
    expect(await rows('visit | where did(visit) = 3 | count')).to.deep.equal([{ count: 1 }]);
  });

  it('count again once the project keeps them', async () => {
    const { adminKey, project } = test.keys;
    const change = (bots: string): Promise<Response> =>
      send(test, ['PATCH', `/api/admin/projects/${project.id}`], { key: adminKey }, { bots });
    const wrong = await change('some');
    expect(wrong.status).to.equal(400);
    expect(await wrong.text()).to.match(/must be one of/);
    expect(await jsonOf(await change('keep'))).to.have.nested.property('settings.bots', 'keep');
    expect(await rows('page_view | count')).to.deep.equal([{ count: 6 }]);
    expect(await text('page_view | count')).not.to.match(/bots/);
  });
});
