/** What a project counts a day, in both management APIs. */
import { expect } from 'chai';
import { utcDay } from '../../../lib/base/day.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { makeTenant, send, type Sender, type Tenant } from '../../support/tenants.ts';

const EVENT = { event_type: 'a', user_id: 'u' };
/** Milliseconds between two looks. */
const PAUSE = 50;

let test: TestService;
let acme: Tenant;
before(async () => {
  test = await sharedService();
  acme = await makeTenant(test, 'Counting');
});

/** The path of the project in both APIs, and who may read it there. */
function doors(): readonly { one: string; sender: Sender }[] {
  const { projectId, adminKey, cookies } = acme;
  return [
    { one: `/api/projects/${projectId}`, sender: { cookie: cookies.admin } },
    { one: `/api/admin/projects/${projectId}`, sender: { key: adminKey } },
  ];
}

describe('usage of a project', () => {
  it('has a row for every day, of this month unless told otherwise', async () => {
    for (const { one, sender } of doors()) {
      const before = utcDay(Date.now());
      const rows = (await (await send(test, ['GET', `${one}/usage`], sender)).json()) as { date: string }[];
      const today = rows.at(-1)?.date ?? '';
      expect([before, utcDay(Date.now())]).to.include(today);
      expect(rows[0]?.date).to.equal(`${today.slice(0, 8)}01`);
      expect(rows).to.have.length(Number(today.slice(8)));
      const days: unknown = await (
        await send(test, ['GET', `${one}/usage?from=2024-02-28&to=2024-03-01`], sender)
      ).json();
      expect(JSON.stringify(days).match(/"date":"[^"]+"/g)).to.have.length(3);
    }
  });

  it('is refused for days that are none, a range that runs backwards, and one of over 366 days', async () => {
    for (const { one, sender } of doors()) {
      for (const range of [
        'from=2024-02-30',
        'from=yesterday',
        'to=',
        'from=2024-01-02&to=2024-01-01',
        'from=2023-01-01&to=2024-01-02',
        'from=2024-01-01&from=2024-01-02',
      ]) {
        expect((await send(test, ['GET', `${one}/usage?${range}`], sender)).status, range).to.equal(400);
      }
    }
  });

  it('is visible within 5 seconds', async () => {
    const { secretKey, projectId, adminKey } = await makeTenant(test, 'Counted');
    await send(test, ['POST', '/track'], { key: secretKey }, { events: [EVENT, EVENT, {}] });
    await send(test, ['POST', '/query'], { key: secretKey }, { q: '*' });
    for (let look = 1; ; look++) {
      const response = await send(test, ['GET', `/api/admin/projects/${projectId}/usage`], { key: adminKey });
      const rows: unknown = await response.json();
      const row: unknown = Array.isArray(rows) ? rows.at(-1) : undefined;
      const text = JSON.stringify(row);
      if (/"events_stored":2,"events_rejected":1.*"queries_run":1/.test(text)) return;
      expect(look, text).to.be.below(5_000 / PAUSE);
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  });
});
