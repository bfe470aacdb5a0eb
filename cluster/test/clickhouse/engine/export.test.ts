import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { wlInside } from '../../../../test/cli/run-inside.ts';
import { ask, fill, lines, paged } from '../../../../test/support/exports.ts';
import { startTestService, type TestService } from '../../../../test/support/service.ts';
import { sharedService } from '../../../../test/support/shared-service.ts';
import { clickHouseServer } from '../../support/chdb-server/chdb-server.ts';

describe('exports of a project in ClickHouse', () => {
  let embedded: TestService;
  let test: TestService;
  before(async () => {
    const url = new URL(await clickHouseServer());
    const user = url.username === '' ? '' : `${url.username}:${url.password}@`;
    const store = `clickhouse://${user}${url.host}/windlass_${randomUUID().replaceAll('-', '')}`;
    await wlInside(['admin', 'cluster', 'init'], { WINDLASS_STORE: store });
    test = await startTestService({ WINDLASS_STORE: store });
    embedded = await sharedService();
    await fill(test);
    await fill(embedded);
  });
  after(() => test.stop());

  for (const parameters of [
    { kind: 'all' },
    { format: 'rows' },
    { format: 'csv' },
    { order: 'arrival' },
    { where: 'distinct_id = "ann"', order: 'arrival' },
    { kind: 'profiles', since: '2026-01-01', until: '2026-01-11' },
  ] as readonly Readonly<Record<string, string>>[]) {
    it(`are those of the store on this machine, in pages too: ${JSON.stringify(parameters)}`, async () => {
      const whole = await (await ask(embedded, parameters)).text();
      expect(await (await ask(test, parameters)).text()).to.equal(whole);
      for (const limit of [1, 4]) expect(await paged(test, parameters, limit)).to.equal(whole);
    });
  }

  it('go on behind the last event for good', async () => {
    const first = await ask(test, { order: 'arrival', limit: '100' });
    await first.text();
    await test.post('/track', { event_type: 'late', time: '2025-12-31T00:00:00Z' });
    const later = await lines(test, { order: 'arrival', cursor: first.headers.get('x-next-cursor')! });
    expect(later.map(({ event_type: type }) => type)).to.deep.equal(['late']);
  });

  it('have the pages of a list', async () => {
    const whole = await test.rows('* | list | from "2026-01-01" | offset 1 | limit 4');
    const rows: unknown[] = [];
    for (let cursor: string | null = null, more = true; more;) {
      const q = '* | list | from "2026-01-01" | offset 1 | limit 4';
      const response = await test.post('/query', {
        q,
        format: 'json',
        limit: 3,
        ...(cursor === null ? {} : { cursor }),
      });
      rows.push(...((await response.json()) as unknown[]));
      expect(response.headers.get('x-total-count')).to.equal('4');
      cursor = response.headers.get('x-next-cursor');
      more = cursor !== null;
    }
    expect(rows).to.deep.equal(whole);
  });
});
