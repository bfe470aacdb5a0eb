import { expect } from 'chai';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { fetch } from '../../support/checked-fetch.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startWithoutShards } from '../../support/service.ts';

const TESTER = { name: 'tester', ip: null };
const LINE = '{"event_type":"a"}\n';
const NDJSON = { 'Content-Type': 'application/x-ndjson' };

describe('a body that is longer in coming than a revoked key may live', () => {
  let test: TestService;
  let control: ControlDatabase;
  before(async () => {
    test = await startWithoutShards();
    control = await ControlDatabase.open(test.folder, { secret: null }); // next to the service, as `wl admin` does
  });
  after(async () => {
    await control.close();
    await test.stop();
  });

  /** The answer to a body in two parts; the key is revoked between them. */
  async function sentAround(path: string, headers: Record<string, string>, parts: [string, string]): Promise<Response> {
    const projectId = test.keys.project.id;
    const { token, key } = await control.tokens.create({ projectId, name: 't', scopes: ['track', 'query'] }, TESTER);
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const write = (text: string): Promise<void> => writer.write(new TextEncoder().encode(text));
    const init = { method: 'POST', headers: { ...headers, 'X-API-Key': key }, body: readable, duplex: 'half' } as const;
    const answer = fetch(test.url + path, init);
    await write(parts[0]);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await control.tokens.revoke(projectId, token.id, TESTER);
    await write(parts[1]);
    await writer.close();
    return answer;
  }

  it('is not taken: an event, a query', async () => {
    const tracked = await sentAround('/track', {}, ['{"event_type":', '"a"}']);
    expect([tracked.status, (await jsonOf(tracked))['code']]).to.deep.equal([401, 'unauthenticated']);
    const asked = await sentAround('/query', {}, ['{"q":', '"*"}']);
    expect([asked.status, (await jsonOf(asked))['code']]).to.deep.equal([401, 'unauthenticated']);
  });

  it('is taken up to then: a stream of lines', async () => {
    const response = await sentAround('/track', NDJSON, [LINE, LINE.repeat(2)]);
    expect(response.status).to.equal(401);
    expect(await jsonOf(response)).to.include({ code: 'unauthenticated', accepted: 1, line: 1 });
    expect(await test.rows('a | count')).to.deep.equal([{ count: 1 }]);
  });
});
