import { expect } from 'chai';
import { Browser } from '../../support/session-browser.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';

const EMAIL = 'ann@secret.example';

describe('a viewer', () => {
  let test: TestService;
  let viewer: Browser;
  let member: Browser;
  before(async () => {
    test = await sharedService();
    const orgId = test.keys.organization.id;
    viewer = await Browser.loggedIn(test, 'viewer@example.com', { orgId, role: 'viewer' });
    member = await Browser.loggedIn(test, 'member@example.com', { orgId, role: 'member' });
    await test.post('/identify', { user_id: 'ann', user_properties: { email: EMAIL, plan: 'secret plan' } });
    const user_properties = { email: EMAIL, plan: 'secret plan' };
    await test.post('/track', { events: [{ event_type: 'signup', user_id: 'ann', user_properties }] });
  });

  const ask = async (browser: Browser, q: string, more: object = {}): Promise<{ status: number; text: string }> => {
    const path = `/api/projects/${test.keys.project.id}/query`;
    const response = await browser.call('POST', path, { q, format: 'json', ...more });
    return { status: response.status, text: await response.text() };
  };

  for (const q of ['signup | people', 'users', 'signup | list', 'user "ann"', 'funnel signup -> signup | people reached 1', 'inspect signup']) {
    it(`gets ids, and neither e-mail address nor profile, of ${q}`, async () => {
      for (const more of [{}, { format: 'csv' }, { format: 'llm' }, { envelope: true }]) {
        const seen = await ask(viewer, q, more);
        expect(seen.status, seen.text).to.equal(200);
        expect(seen.text).to.include('ann').and.not.include('secret');
      }
      expect((await ask(member, q)).text).to.include('secret');
    });
  } // prettier-ignore

  it('counts by what many have in common', async () => {
    expect(JSON.parse((await ask(viewer, 'signup | count by user.plan')).text)).to.deep.equal([{ 'user.plan': 'secret plan', count: 1 }]);
  }); // prettier-ignore

  it('is told what a query may not ask', async () => {
    for (const q of [
      'users | list user.plan',
      'signup | count by user.email',
      'signup | count by user_id, user.plan',
    ]) {
      const { status, text } = await ask(viewer, q);
      expect(status, q).to.equal(400);
      expect(text, q).to.include('viewers').and.not.include('secret');
    }
  });
});
