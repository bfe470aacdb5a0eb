import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { fetch } from '../../support/checked-fetch.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startWithoutShards } from '../../support/service.ts';

const TESTER = { name: 'tester', ip: null };
const LINE = '{"event_type":"a"}\n';
/** Where nothing shows that a part has come: on a machine where that takes longer, the key is refused at once. */
const shortly = (): Promise<void> => sleep(500);
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

  /** The answer to a body in two parts; between them, once the first has come, the key is revoked, for longer than it may live. */
  async function sentAround(
    path: string,
    {
      headers = {},
      parts,
      come,
    }: { headers?: Record<string, string>; parts: [string, string]; come: () => Promise<unknown> },
  ): Promise<Response> {
    const projectId = test.keys.project.id;
    const { token, key } = await control.tokens.create({ projectId, name: 't', scopes: ['track', 'query'] }, TESTER);
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const write = (text: string): Promise<void> => writer.write(new TextEncoder().encode(text));
    const init = { method: 'POST', headers: { ...headers, 'X-API-Key': key }, body: readable, duplex: 'half' } as const;
    const answer = fetch(test.url + path, init);
    await write(parts[0]);
    await come();
    await control.tokens.revoke(projectId, token.id, TESTER);
    await sleep(1_100);
    await write(parts[1]);
    await writer.close();
    return answer;
  }

  it('is not taken: an event, a query', async () => {
    const tracked = await sentAround('/track', { parts: ['{"event_type":', '"a"}'], come: shortly });
    expect([tracked.status, (await jsonOf(tracked))['code']]).to.deep.equal([401, 'unauthenticated']);
    const asked = await sentAround('/query', { parts: ['{"q":', '"*"}'], come: shortly });
    expect([asked.status, (await jsonOf(asked))['code']]).to.deep.equal([401, 'unauthenticated']);
  });

  it('is taken up to then: a stream of lines', async () => {
    const come = async (): Promise<void> => {
      while (JSON.stringify(await test.rows('a | count')) !== '[{"count":1}]') await sleep(20);
    };
    const response = await sentAround('/track', { headers: NDJSON, parts: [LINE, LINE.repeat(2)], come });
    expect(response.status).to.equal(401);
    expect(await jsonOf(response)).to.include({ code: 'unauthenticated', accepted: 1, line: 1 });
    expect(await test.rows('a | count')).to.deep.equal([{ count: 1 }]);
  });
});
