import { expect } from 'chai';
import { IMPORT_FORMATS } from '../../../lib/cli/import/formats/formats.ts';
import { mixpanel } from '../../../lib/cli/import/formats/mixpanel.ts';
import { ndjson } from '../../../lib/cli/import/formats/ndjson.ts';
import { segment } from '../../../lib/cli/import/formats/segment.ts';

const recognized = (record: Readonly<Record<string, unknown>>): string | undefined =>
  IMPORT_FORMATS.find((format) => format.recognizes(record))?.name;

describe('the import of Mixpanel', () => {
  const event = (properties: object, name = 'Signup'): Readonly<Record<string, unknown>> => ({
    event: name,
    properties: { time: 1_767_225_600, distinct_id: 'u1', ...properties },
  });

  it('makes fields of what Mixpanel knows, and properties of the rest', () => {
    const known = {
      $insert_id: 'i1',
      $browser: 'Chrome',
      $browser_version: 120,
      $os: 'Windows',
      mp_country_code: 'DE',
    };
    const more = {
      $city: 'Berlin',
      $current_url: 'https://a.example/x',
      $device_id: 'd1',
      $user_id: 'u1',
      mp_lib: 'web',
    };
    const sizes = { $lib_version: '2.4', $screen_width: 1920, $screen_height: 1080, plan: 'pro', empty: null };
    const { events, lost } = mixpanel.map(event({ ...known, ...more, ...sizes, mp_processing_time_ms: 1 }));
    expect(JSON.parse(JSON.stringify(events))).to.deep.equal([
      {
        ...{ event_type: 'Signup', user_id: 'u1', device_id: 'd1', insert_id: 'i1', time: '2026-01-01T00:00:00.000' },
        ...{ _browser: 'Chrome', _browser_version: '120', _os: 'Windows', _country: 'DE', _city: 'Berlin' },
        ...{ _url: 'https://a.example/x', _device_type: 'desktop', library: 'web/2.4' },
        event_properties: { plan: 'pro', screen: '1920x1080' },
      },
    ]);
    expect(lost.map(({ field }) => field)).to.deep.equal(['mp_processing_time_ms']);
  });

  it('tells devices from users in projects of both kinds', () => {
    const idsOf = (properties: object): unknown => {
      const { user_id: user, device_id: device } = mixpanel.map(event(properties)).events[0]!;
      return [user, device];
    };
    expect(idsOf({ distinct_id: '$device:d1', $device_id: 'd1' })).to.deep.equal([undefined, 'd1']);
    expect(idsOf({ distinct_id: 'd1', $device_id: 'd1' })).to.deep.equal([undefined, 'd1']);
    expect(idsOf({ distinct_id: 'u1', $device_id: 'd1' })).to.deep.equal(['u1', 'd1']);
    expect(idsOf({ distinct_id: 'x', $device_id: 'd1', $user_id: 'u1' })).to.deep.equal(['u1', 'd1']);
    expect(idsOf({ distinct_id: '' })).to.deep.equal([undefined, undefined]);
  });

  it('binds devices, and says that users are not merged', () => {
    const identify = mixpanel.map(event({ $identified_id: 'u1', $anon_id: '$device:d1' }, '$identify'));
    expect(identify.identifies).to.deep.equal([{ user_id: 'u1', device_id: 'd1', time: '2026-01-01T00:00:00.000' }]);
    const alias = mixpanel.map(event({ alias: 'a1' }, '$create_alias'));
    expect(alias.identifies).to.deep.equal([{ user_id: 'u1', device_id: 'a1', time: '2026-01-01T00:00:00.000' }]);
    const merge = mixpanel.map(event({ $distinct_ids: ['a', 'b'] }, '$merge'));
    expect([merge.events, merge.identifies, merge.lost[0]?.field]).to.deep.equal([[], [], '$merge']);
    expect(() => mixpanel.map(event({}, '$identify'))).to.throw('it binds no two ids');
  });

  it('makes profiles of engage, one a line or a page of them, but none of devices', () => {
    const profile = (id: string): object => ({ $distinct_id: id, $properties: { $email: 'a@b.example', plan: 'pro', $last_seen: '2026-01-02T03:04:05' } }); // prettier-ignore
    const made = { user_id: 'u1', time: '2026-01-02T03:04:05', user_properties: { email: 'a@b.example', plan: 'pro' } };
    expect(mixpanel.map({ ...profile('u1') }).identifies).to.deep.equal([made]);
    const page = mixpanel.map({ page: 0, results: [profile('u1'), profile('$device:d1')] });
    expect([page.identifies, page.lost]).to.deep.equal([
      [made],
      [{ field: '$properties', why: 'there is no profile of a device' }],
    ]);
    expect(() => mixpanel.map({ event: 'x' })).to.throw('neither an event');
    expect([event({}), { ...profile('u1') }].map(recognized)).to.deep.equal(['mixpanel', 'mixpanel']);
  });
});

describe('the import of Segment', () => {
  const message = (more: object): Readonly<Record<string, unknown>> => ({
    ...{ messageId: 'm1', anonymousId: 'd1', userId: 'u1', timestamp: '2026-01-01T00:00:00Z' },
    ...{ originalTimestamp: '2025-12-31T23:00:00Z', integrations: { All: true }, _metadata: {} },
    context: { ip: '203.0.113.7', userAgent: 'Mozilla/5.0', page: { url: 'https://a.example/' }, os: { name: 'iOS' } },
    ...more,
  });

  it('takes all kinds of lines, by the time that Segment corrected', () => {
    const { events, lost } = segment.map(message({ type: 'track', event: 'Signup', properties: { plan: 'pro' } }));
    const [event] = events;
    expect(event).to.deep.include({ event_type: 'Signup', user_id: 'u1', device_id: 'd1', insert_id: 'm1' });
    expect(event).to.deep.include({ time: '2026-01-01T00:00:00Z', ip: '203.0.113.7', _os: 'iOS' });
    expect(event!['event_properties']).to.deep.equal({ url: 'https://a.example/', plan: 'pro' });
    expect(lost.map(({ field }) => field)).to.deep.equal(['integrations']);
    expect(segment.map(message({ type: 'page', name: 'Home' })).events[0]!['event_type']).to.equal('page_view');
    expect(segment.map(message({ type: 'screen', name: 'Home' })).events[0]!['event_type']).to.equal('screen_view');
    const bound = { user_id: 'u1', device_id: 'd1', time: '2026-01-01T00:00:00Z' };
    expect(segment.map(message({ type: 'identify', traits: { plan: 'pro' } })).identifies).to.deep.equal([
      { ...bound, user_properties: { plan: 'pro' } },
    ]);
    expect(segment.map(message({ type: 'group', groupId: 'g1', traits: { name: 'G' } })).identifies).to.deep.equal([
      { ...bound, user_properties: { company_id: 'g1', 'company.name': 'G' } },
    ]);
    const alias = segment.map(message({ type: 'alias', previousId: 'p1' }));
    expect(alias.identifies).to.deep.equal([{ ...bound, device_id: 'p1' }]);
    expect(alias.lost.map(({ field }) => field)).to.deep.equal(['integrations', 'previousId']);
  });

  it('refuses what is no message, and what changes no profile', () => {
    expect(() => segment.map(message({ type: 'delete' }))).to.throw('a message has a type');
    expect(() => segment.map(message({ type: 'identify', userId: null }))).to.throw('without userId');
    expect(recognized(message({ type: 'track' }))).to.equal('segment');
  });
});

describe('the import of lines as Windlass takes them', () => {
  it('takes events and identifies, and tells fields that have no place', () => {
    const event = { event_type: 'a', time: '2026-01-01', event_properties: { n: 1 } };
    expect(ndjson.map({ ...event, price: 7, note: null })).to.deep.equal({
      events: [{ event_type: 'a', time: '2026-01-01', event_properties: { n: 1 } }],
      identifies: [],
      lost: [{ field: 'price', why: 'no field of an event: name it in a --map' }],
    });
    const seen = { user_id: 'u', time: '2026-01-01' };
    expect(ndjson.map({ type: 'identify', ...seen }).identifies).to.deep.equal([seen]);
    const identify = { user_id: 'u', device_id: 'd' };
    expect(ndjson.map({ type: 'identify', ...identify })).to.deep.equal({
      events: [],
      identifies: [identify],
      lost: [],
    });
    expect(() => ndjson.map({ action: 'x' })).to.throw('it has "action": try --map FILE');
    expect([recognized(event), recognized({ user_id: 'u', user_properties: {} }), recognized({ a: 1 })]).to.deep.equal(['ndjson', 'ndjson', undefined]); // prettier-ignore
  });
});
