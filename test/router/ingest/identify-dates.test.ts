/** Changes of a profile, and bindings, have dates: history that is imported does not replace what is newer. */
import { expect } from 'chai';
import { jsonOf, type TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { makeTenant, send } from '../../support/tenants.ts';

describe('an identify with a time', () => {
  let test: TestService;
  before(async () => {
    test = await sharedService();
  });

  async function identify(user: string, time: string | null, change: object, device?: string): Promise<void> {
    const body = {
      user_id: user,
      ...(time === null ? {} : { time }),
      ...(device === undefined ? {} : { device_id: device }),
    };
    expect(await jsonOf(await test.post('/identify', { ...body, ...change }))).to.deep.equal({ ok: true });
  }

  async function profile(user: string): Promise<Record<string, unknown>> {
    return (await test.rows('users | from 2020-01-01 to 2030-01-01')).find((row) => row['user_id'] === user) ?? {};
  }

  it('sets what was not changed later, and nothing else', async () => {
    await identify('a', null, { user_properties: { plan: 'pro' } });
    await identify('a', '2025-01-01', { user_properties: { plan: 'free', city: 'Rome' } });
    await identify('a', '2025-06-01', { user_property_ops: { $set: { city: 'Oslo' } } });
    await identify('a', '2025-03-01', { user_property_ops: { $set: { city: 'Bern' } } });
    await identify('a', '2025-06-01', { user_property_ops: { $set: { city: 'Lima' } } }); // the same date: the later arrival
    expect((await profile('a'))['properties']).to.deep.equal({ plan: 'pro', city: 'Lima' });
  });

  it('keeps the date of what was unset, sets once only what is not set, and always adds', async () => {
    await identify('b', '2025-05-01', { user_property_ops: { $set: { n: 1 }, $unset: ['gone'] } });
    await identify('b', '2025-04-01', { user_property_ops: { $set: { gone: 'old' }, $unset: ['n'], $add: { n: 2 } } });
    await identify('b', '2025-04-01', { user_property_ops: { $set_once: { n: 9, first: 'x' } } });
    expect((await profile('b'))['properties']).to.deep.equal({ n: 3, first: 'x' });
    await identify('b', '2025-04-15', { user_property_ops: { $set: { n: 7, first: 'y' } } });
    expect((await profile('b'))['properties'], 'an addition sets no date back').to.deep.equal({ n: 3, first: 'y' });
  });

  it('dates the properties that events bring by the events', async () => {
    const event = (time: string, plan: string) => ({ event_type: 'e', user_id: 'c', time, user_properties: { plan } });
    await test.post('/track', {
      events: [event('2025-05-01T00:00:00Z', 'pro'), event('2025-01-01T00:00:00Z', 'trial')],
    });
    await test.post('/track', { events: [{ ...event('2025-02-01T00:00:00Z', 'free'), ip: '1.2.3.4' }] });
    expect((await profile('c'))['properties']).to.deep.equal({ plan: 'pro' });
  });

  it('moves the times by which the user was first and last seen', async () => {
    await identify('d', '2024-02-01T10:00:00Z', {});
    await identify('d', '2024-01-01T10:00:00Z', {});
    expect(await profile('d')).to.include({
      first_seen: '2024-01-01T10:00:00.000Z',
      last_seen: '2024-02-01T10:00:00.000Z',
    });
  });

  it('binds a device unless it was bound later', async () => {
    const tenant = await makeTenant(test, 'Dates');
    const ask = async (path: string, body: object): Promise<unknown> => {
      const response = await send(test, ['POST', path], { key: tenant.secretKey }, body);
      return response.json();
    };
    const bind = (user_id: string, time: string | undefined, device_id: string): Promise<unknown> =>
      ask('/identify', { user_id, device_id, time });
    const device = async (id: string): Promise<Record<string, unknown>> =>
      jsonOf(
        await send(test, ['GET', `/api/projects/${tenant.projectId}/devices/${id}`], { cookie: tenant.cookies.admin }),
      );
    const person = (): Promise<unknown> =>
      ask('/query', { q: 'seen | last 1 d | count by distinct_id', format: 'json' });

    await ask('/track', { event_type: 'seen', device_id: 'x' });
    await bind('new', '2025-05-01', 'x');
    await bind('old', '2025-01-01', 'x');
    expect(await person()).to.deep.equal([{ distinct_id: 'new', count: 1 }]);
    const bound = await device('x');
    expect(bound).to.include({ user_id: 'new', bound_at: '2025-05-01T00:00:00.000Z' });
    expect(bound['history'], 'of what had an effect').to.have.length(1);
    await bind('newer', undefined, 'x');
    expect(await person()).to.deep.equal([{ distinct_id: 'newer', count: 1 }]);
    await bind('ancient', '1960-01-01', 'y');
    expect(await device('y'), 'no undo, although its date is negative').to.include({ user_id: 'ancient' });
  });
});
