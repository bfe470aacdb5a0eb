import { expect } from 'chai';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { clickHouseAccess } from '../../support/chdb-server/chdb-server.ts';
import { freezingProxy } from '../../../../test/support/freezing-proxy.ts';
import { batch, openStore } from './clickhouse-store.ts';
import { outcomeOf } from '../../../../test/support/refusal.ts';

/** The longest that a request may wait for an answer, milliseconds. */
const BOUND = 40_000;
/** Of a body, bytes. */
const BODY = 1 << 20;

describe('a ClickHouse that is gone without a word', () => {
  it('is told to who sends, in time; then at once, so that nothing piles up; and takes events again when it is back', async () => {
    const access = await clickHouseAccess();
    const { hostname, port } = new URL(access.url);
    const proxy = await freezingProxy(Number(port), hostname);
    const url = `http://127.0.0.1:${proxy.port}`;
    const store = openStore({ ...access, url }, { onTrouble: () => undefined, bodyLimit: 2 * BODY });
    const send = async (n: number, text = ''): Promise<{ code: string; took: number }> => {
      const since = performance.now();
      const events = [{ event_type: 'e', device_id: 'd', insert_id: `i${n}`, event_properties: { text } }];
      const answer = await outcomeOf(store.append(batch(`prj_${n % 4}`, events)));
      return { code: 'error' in answer ? answer.error.code : 'ok', took: performance.now() - since };
    };
    expect((await send(0)).code).to.equal('ok');
    proxy.freeze();
    const first = await Promise.all(Array.from({ length: 40 }, (_, n) => send(n)));
    expect(new Set(first.map(({ code }) => code))).to.deep.equal(new Set(['storage_unavailable']));
    expect(Math.max(...first.map(({ took }) => took))).to.be.below(BOUND);
    expect([store.ready().ok, store.stats().queuedBytes]).to.deep.equal([false, 0]);

    const text = 'x'.repeat(BODY);
    const before = heldBytes();
    for (let n = 0; n < 200; n++) expect(await send(n, text)).to.include({ code: 'storage_unavailable' });
    while (heldBytes() - before >= 20 * BODY) await new Promise((resolve) => setTimeout(resolve, 50)); // V8 frees them elsewhere

    proxy.thaw();
    while (!store.ready().ok) await new Promise((resolve) => setTimeout(resolve, 50));
    for (let n = 0; n < 40; n++) expect((await send(n)).code).to.equal('ok');
    for (const n of [0, 1, 2, 3]) expect((await store.extent(batch(`prj_${n}`, []).project))?.rows).to.equal(10);
    await store.close();
    await proxy.stop();
  });
});

/** What is still used of the memory of this process. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
