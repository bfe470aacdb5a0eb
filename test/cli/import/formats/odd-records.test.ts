import { expect } from 'chai';
import { IMPORT_FORMATS } from '../../../../lib/cli/import/formats/formats.ts';
import { ImportError, type Mapped, type SourceRecord } from '../../../../lib/cli/import/format.ts';

function map(name: string, record: SourceRecord): Mapped {
  return IMPORT_FORMATS.find((format) => format.name === name)!.map(record);
}

/** The event that a record becomes. */
const eventOf = (name: string, record: SourceRecord): Readonly<Record<string, unknown>> => map(name, record).events[0]!;

const TIME = '2024-05-01T10:00:00.000Z';

/** The least record of each format, with a time. */
const LEAST: Readonly<Record<string, (time: unknown) => SourceRecord>> = {
  amplitude: (event_time) => ({ event_type: 'a', amplitude_id: 1, event_time }),
  posthog: (timestamp) => ({ event: 'a', distinct_id: 'u', timestamp }),
  ga4: (event_timestamp) => ({ event_name: 'a', event_timestamp }),
  umami: (created_at) => ({ session_id: 's', url_path: '/', event_type: '1', created_at }),
};

describe('odd records of imports', () => {
  for (const [name, least] of Object.entries(LEAST)) {
    it(`of ${name} have times of every kind`, () => {
      const times = [
        ...[1_714_557_600, 1_714_557_600_000, 1_714_557_600_000_000, '1714557600000000', '1714557600'],
        ...[TIME, '2024-05-01 10:00:00', '2024-05-01 12:00:00.000000+02:00', '2024-05-01 10:00:00 UTC'],
        ...['2024-05-01 10:00:00+00', 'Wed, 01 May 2024 10:00:00 GMT', ' 20240501T100000Z '],
      ];
      for (const time of times) expect([time, eventOf(name, least(time))['time']]).to.deep.equal([time, TIME]);
    });

    it(`of ${name} without a time, or with one that is none, are told`, () => {
      for (const time of [undefined, null, '', '\0\0', '\\N'])
        expect(() => map(name, least(time))).to.throw(ImportError, /is missing: every event has a time/);
      for (const time of ['yesterday', '05/01/2024', true, '2024-02-30', 1e300])
        expect(() => map(name, least(time)), String(time)).to.throw(ImportError, /is no time: /);
    });

    it(`of ${name} keep what somebody calls __proto__, and are not changed`, () => {
      const record = Object.freeze(JSON.parse(JSON.stringify({ ...least(TIME), ...OWN[name] })) as SourceRecord);
      const properties = eventOf(name, record)['event_properties'];
      expect(JSON.stringify(properties)).to.include('"__proto__":"p"').and.include('"constructor":"c"');
      expect(Object.getPrototypeOf(properties)).to.equal(Object.prototype);
    });
  }

  it('without a name are told', () => {
    expect(() => map('amplitude', { amplitude_id: 1, event_time: TIME })).to.throw(
      ImportError,
      'event_type is missing',
    );
    expect(() => map('posthog', { event: '', distinct_id: 'u', timestamp: TIME })).to.throw(
      ImportError,
      'event is missing',
    );
    expect(() => map('ga4', { event_name: null, event_timestamp: TIME })).to.throw(
      ImportError,
      'event_name is missing',
    );
    expect(() => map('umami', { session_id: 's', created_at: TIME })).to.throw(
      ImportError,
      'event_type and event_name',
    );
    expect(() => map('plausible', { date: '2024-05-01', visitors: '1' })).to.throw(
      ImportError,
      'the columns are not those',
    );
    expect(() => map('plausible', { date: '31/12/2024', visitors: '1', pageviews: '1' })).to.throw(
      ImportError,
      'date is no time',
    );
  });
});

const JSON_OWN = JSON.parse('{"__proto__":"p","constructor":"c"}') as SourceRecord;
/** Properties that people name, where each format has them. */
const OWN: Readonly<Record<string, SourceRecord>> = {
  amplitude: { event_properties: JSON_OWN },
  posthog: { properties: JSON_OWN },
  ga4: {
    event_params: Object.entries(JSON_OWN).map(([key, string_value]) => ({ key, value: { string_value } })),
  },
  umami: { event_data: JSON.stringify(JSON_OWN) },
};

describe('records of Amplitude', () => {
  const least = LEAST['amplitude']!(TIME);

  it('are of the person with that number where they have no id', () => {
    expect(eventOf('amplitude', least)['device_id']).to.equal('amplitude:1');
    expect(eventOf('amplitude', { ...least, user_id: 7 }))
      .to.include({ user_id: '7' })
      .and.not.have.property('device_id');
  });

  it('change a profile by $identify where there is a user, and say else that nobody is known', () => {
    const change = { ...least, event_type: '$identify', device_id: 'd', user_properties: { plan: 'a', left: null } };
    expect(map('amplitude', { ...change, user_id: 'u' })).to.deep.include({
      events: [],
      identifies: [{ time: TIME, user_id: 'u', device_id: 'd', user_properties: { plan: 'a', left: null } }],
    });
    const unknown = map('amplitude', change);
    expect([unknown.events, unknown.identifies]).to.deep.equal([[], []]);
    expect(unknown.lost.map(({ field }) => field)).to.include('user_properties');
    expect(map('amplitude', { ...least, event_type: '$groupidentify' }).lost[0]?.why).to.include('no groups');
  });

  it('keep blank values, and values whose name another field has', () => {
    const { events, lost } = map('amplitude', {
      ...least,
      event_properties: { coupon: null, note: '', tags: [], url: 'https://a.example/', language: 'Rust' },
      language: 'German',
    });
    expect(events[0]!['event_properties']).to.deep.equal({
      ...{ coupon: null, note: '', tags: [], url: 'https://a.example/', language: 'Rust', other_language: 'German' },
    });
    expect(lost).to.deep.include({
      field: 'language',
      why: 'another field has its place: it is stored as event_properties.other_language',
    });
  });

  it('tell systems, browsers and devices', () => {
    const client = (device_type: string, os_name: string): object =>
      eventOf('amplitude', { ...least, platform: 'Web', device_type, os_name });
    expect(client('Windows', 'Edge')).to.include({
      _os: 'Windows',
      _browser: 'Microsoft Edge',
      _device_type: 'desktop',
    });
    expect(client('Apple iPhone', 'Mobile Safari')).to.include({
      _os: 'iOS',
      _browser: 'Safari',
      _device_type: 'mobile',
    });
    expect(client('Galaxy S23', 'Samsung Browser')).to.not.have.any.keys('_os', '_device_type');
  });
});

describe('records of PostHog', () => {
  const UUID = '018f1b2c-7d10-7c3a-9e55-3b1f0c9d7e21';
  const least = { event: 'a', timestamp: TIME };
  const who = (distinct_id: string, properties: SourceRecord): object => {
    const { user_id = null, device_id = null } = eventOf('posthog', { ...least, distinct_id, properties });
    return { user_id, device_id };
  };

  it('are of a device where the id is random and nobody says that it is known', () => {
    expect(who(UUID, {})).to.deep.equal({ user_id: null, device_id: UUID });
    expect(who(UUID, { $is_identified: true, $device_id: 'd' })).to.deep.equal({ user_id: UUID, device_id: 'd' });
    expect(who('ann', { $is_identified: false })).to.deep.equal({ user_id: null, device_id: 'ann' });
    expect(who('ann', { $device_id: 'ann' })).to.deep.equal({ user_id: null, device_id: 'ann' });
    expect(who(UUID, { $lib: 'posthog-node' })).to.deep.equal({ user_id: UUID, device_id: null });
    expect(who(UUID, { $user_id: UUID })).to.deep.equal({ user_id: UUID, device_id: null });
    const withoutProfile = { $lib: 'posthog-node', $process_person_profile: false };
    expect(who(UUID, withoutProfile)).to.deep.equal({ user_id: null, device_id: UUID });
  });

  it('bind nothing by an $identify that names no other id', () => {
    const { identifies } = map('posthog', { ...least, event: '$identify', distinct_id: UUID });
    expect(identifies).to.deep.equal([{ time: TIME, user_id: UUID }]);
  });

  it('bind the anonymous one of two ids by $create_alias, and nothing where both are', () => {
    const alias = (distinct_id: string, other: string): Mapped =>
      map('posthog', { ...least, event: '$create_alias', distinct_id, properties: { alias: other } });
    const bound = [{ time: TIME, user_id: 'ann', device_id: UUID }];
    expect([alias('ann', UUID).identifies, alias(UUID, 'ann').identifies]).to.deep.equal([bound, bound]);
    expect(alias(UUID, UUID.replace('0', '1'))).to.deep.include({ events: [], identifies: [] });
    expect(() => map('posthog', { ...least, event: '$create_alias', distinct_id: 'a' })).to.throw(ImportError, 'alias');
  });

  it('have objects as JSON text in columns, which may be cut', () => {
    const row = { ...least, distinct_id: 'ann', properties: '{"n":12345678901234567890,"$set":{"plan":"a"}}' };
    expect(map('posthog', row)).to.deep.include({
      events: [{ event_type: 'a', time: TIME, user_id: 'ann', event_properties: { n: '12345678901234567890' } }],
      identifies: [{ time: TIME, user_id: 'ann', user_property_ops: { $set: { plan: 'a' } } }],
    });
    expect(() => map('posthog', { ...row, properties: '{"n":1' })).to.throw(ImportError, 'properties is no JSON');
  });

  it('have columns of the person, and computed ones, which are told', () => {
    const row = { ...least, distinct_id: 'ann', '*.properties': '{"n":1}', 'person.properties.plan': 'a' };
    const more = { 'person.distinct_id': 'ann', 'coalesce(properties.$current_url) -- Url': '/a', 'properties.m': '2' };
    const { events, lost } = map('posthog', { ...row, ...more, id: 'i' });
    expect(events).to.deep.equal([
      {
        ...{ event_type: 'a', time: TIME, user_id: 'ann', insert_id: 'i' },
        ...{ event_properties: { n: 1, m: 2 }, user_properties: { plan: 'a' } },
      },
    ]);
    expect(lost.map(({ field }) => field)).to.deep.equal(['person', 'coalesce(properties.$current_url) -- Url']);
  });

  it('lose profiles of devices, and changes of groups', () => {
    const change = { ...least, event: '$set', distinct_id: UUID, properties: { $set: { plan: 'a' } } };
    expect(map('posthog', change)).to.deep.include({ events: [], identifies: [] });
    expect(map('posthog', change).lost.map(({ field }) => field)).to.deep.equal(['user_properties']);
    expect(map('posthog', { ...change, event: '$groupidentify' }).lost[0]?.why).to.include('no groups');
  });
});

describe('records of GA4', () => {
  const least = { event_name: 'a', event_timestamp: '1714557600000000' };
  const parameter = (key: string, value: unknown): object => ({ key, value });

  it('have one value a parameter, numbers as texts, and none in odd ones', () => {
    const event_params = [
      parameter('whole', { int_value: '9007199254740993' }),
      parameter('number', { int_value: '7', string_value: null }),
      parameter('zero', { double_value: 0 }),
      parameter('nothing', { string_value: null, int_value: null }),
      parameter('blank', { string_value: '' }),
      ...[parameter('odd', 'text'), 'text', null],
    ];
    const { event_properties } = eventOf('ga4', { ...least, event_params });
    expect(event_properties).to.deep.equal({ whole: '9007199254740993', number: 7, zero: 0, blank: '' });
    expect(eventOf('ga4', { ...least, event_params: 'text' })).to.deep.equal({ event_type: 'a', time: TIME });
  });

  it('have sessions only of somebody, and codes for places', () => {
    const event_params = [parameter('ga_session_id', { int_value: '1' })];
    expect(eventOf('ga4', { ...least, event_params })).to.not.have.property('session_id');
    expect(eventOf('ga4', { ...least, event_params, user_id: 'u' })['session_id']).to.equal('u.1');
    const place = (country: string, sub_continent = ''): object =>
      eventOf('ga4', { ...least, geo: { country, continent: 'Americas', sub_continent } });
    expect(place('Bosnia & Herzegovina')).to.include({ _country: 'BA', _continent: 'NA' });
    expect(place('Côte d’Ivoire', 'South America')).to.include({ _country: 'CI', _continent: 'SA' });
    expect(
      [place('Turkey'), place('Atlantis'), place('XK')].map((event) => Reflect.get(event, '_country') as unknown),
    ).to.deep.equal(['TR', 'Atlantis', 'XK']);
  });
});

describe('rows of Umami and Plausible', () => {
  const least = { session_id: 's', event_type: '1', created_at: TIME };

  it('have pages with and without a host, and data as JSON text', () => {
    expect(eventOf('umami', { ...least, url_path: '/a', url_query: 'b=1' })['event_properties']).to.deep.equal({
      url: '/a?b=1',
    });
    const row = {
      ...least,
      event_type: '2',
      event_name: 'buy',
      url_path: '/a',
      hostname: 'h.example',
      event_data: '{"n":1}',
    };
    expect(eventOf('umami', row)).to.deep.include({
      event_type: 'buy',
      event_properties: { url: 'https://h.example/a', n: 1 },
    });
    expect(eventOf('umami', { ...least, event_type: '3', url_path: '/a' })['event_type']).to.equal('umami.event_3');
  });

  it('have counts as texts, versions of columns that differ, and codes of two NUL characters', () => {
    const row = {
      date: '2024-05-01',
      country: '\0\0',
      region: '',
      city: '0',
      visitors: '1',
      visits: '18446744073709551615',
    };
    expect(eventOf('plausible', row)).to.deep.equal({
      event_type: 'plausible.daily',
      time: '2024-05-01T12:00:00.000Z',
      event_properties: { report: 'locations', visitors: 1, visits: '18446744073709551615' },
    });
    const page = {
      date: '2024-05-01',
      hostname: '',
      page: '/a',
      visitors: '2',
      pageviews: '3',
      exits: '1',
      time_on_page: '60',
    };
    expect(eventOf('plausible', page)['event_properties']).to.deep.equal({
      ...{ report: 'pages', url: '/a', visitors: 2, pageviews: 3, exits: 1, time_on_page: 60 },
    });
    const property = { date: '2024-05-01', property: 'author', value: 'Ann', visitors: '2', events: '3' };
    expect(eventOf('plausible', property)['event_properties']).to.include({ report: 'custom_props', value: 'Ann' });
  });
});
