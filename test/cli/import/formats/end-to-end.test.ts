import { expect } from 'chai';
import { clientOf } from '../../client-service.ts';
import { sharedService } from '../../../support/shared-service.ts';

const FOLDER = 'test/fixtures/import';
const YEAR = 'from 2024-01-01 to 2025-01-01';

interface Case {
  /** After `wl import`; names of files are those of the folder. */
  readonly args: readonly string[];
  readonly events: number;
  readonly profiles: number;
  /** Questions, and their rows. */
  readonly answers: readonly (readonly [q: string, rows: readonly object[]])[];
}

const CASES: Readonly<Record<string, Case>> = {
  mixpanel: {
    args: ['mixpanel.jsonl', 'mixpanel-engage.jsonl'],
    events: 3,
    profiles: 2,
    answers: [
      [
        `page_view | ${YEAR} | count by _country, _os, user.plan`,
        [{ _country: 'NO', _os: 'macOS', 'user.plan': 'free', count: 1 }],
      ],
      [
        `Purchase | ${YEAR} | sum event_properties.amount by user.email`,
        [{ 'user.email': 'kari@example.com', sum: 19.9 }],
      ],
    ],
  },
  segment: {
    args: ['segment.jsonl'],
    events: 3,
    profiles: 3,
    answers: [
      [
        `page_view | ${YEAR} | count by _path, user.company_id`,
        [{ _path: '/signup', 'user.company_id': 'nordwind', count: 1 }],
      ],
      [`"Order Completed" | ${YEAR} | sum event_properties.revenue`, [{ sum: 25 }]],
    ],
  },
  amplitude: {
    args: ['amplitude.zip'],
    events: 5,
    profiles: 2,
    answers: [
      [
        `page_view | ${YEAR} | count by _path, _os, _country, user.plan`,
        [{ _path: '/pricing', _os: 'macOS', _country: 'CH', 'user.plan': 'team', count: 1 }],
      ],
      [
        `revenue_amount | ${YEAR} | sum event_properties.revenue by user.company_id`,
        [{ 'user.company_id': 'acme', sum: 49 }],
      ],
      [`* | ${YEAR} | unique`, [{ unique: 2 }]],
    ],
  },
  posthog: {
    args: ['posthog.jsonl'],
    events: 4,
    profiles: 4,
    answers: [
      [
        `page_view | ${YEAR} | count by _city, user.email, user.plan, user.reports`,
        [{ _city: 'Leeds', 'user.email': 'grace@example.com', 'user.plan': 'team', 'user.reports': '3', count: 1 }],
      ],
      [`* | ${YEAR} | unique`, [{ unique: 3 }]],
    ],
  },
  ga4: {
    args: ['ga4.jsonl'],
    events: 4,
    profiles: 1,
    answers: [
      [
        `purchase | ${YEAR} | sum event_properties.revenue by user.membership`,
        [{ 'user.membership': 'gold', sum: 1190.5 }],
      ],
      [
        `sessions | ${YEAR} | count by session.utm_campaign`,
        [
          { 'session.utm_campaign': 'spring', count: 1 },
          { 'session.utm_campaign': null, count: 1 },
        ],
      ],
    ],
  },
  plausible: {
    args: ['plausible'],
    events: 19,
    profiles: 0,
    answers: [
      [
        `plausible.daily | ${YEAR} | where event_properties.report = "visitors" | sum event_properties.pageviews by day | having sum > 0`,
        [
          { day: '2024-01-01', sum: 97 },
          { day: '2024-01-02', sum: 80 },
        ],
      ],
      [
        `plausible.daily | ${YEAR} | where event_properties.report = "devices" | sum event_properties.visits by _device_type`,
        [
          { _device_type: 'mobile', sum: 23 },
          { _device_type: 'desktop', sum: 22 },
        ],
      ],
    ],
  },
  umami: {
    args: ['umami.csv', 'umami-event_data.csv', 'umami-session_data.csv'],
    events: 5,
    profiles: 2,
    answers: [
      [
        `page_view | ${YEAR} | count by _hostname, _path, user.plan | sort _path`,
        [
          { _hostname: 'blog.example.com', _path: '/about', 'user.plan': 'pro', count: 1 },
          { _hostname: 'blog.example.com', _path: '/hello', 'user.plan': null, count: 1 },
        ],
      ],
      [`umami.event_data | ${YEAR} | sum event_properties.price`, [{ sum: 12.5 }]],
    ],
  },
  csv: {
    args: ['orders.csv', '--map', `${FOLDER}/orders.yaml`, '--timezone', 'Europe/Berlin'],
    events: 3,
    profiles: 0,
    answers: [
      [
        `order | ${YEAR} | sum event_properties.revenue by user_id`,
        [
          { user_id: 'c-1', sum: 1197.75 },
          { user_id: 'c-2', sum: 20 },
        ],
      ],
      [`order | ${YEAR} | min time`, [{ min: '2024-03-05T13:05:00.000Z' }]],
    ],
  },
  ndjson: {
    args: ['events.ndjson'],
    events: 3,
    profiles: 0,
    answers: [
      [
        `* | ${YEAR} | count by user.email`,
        [
          { 'user.email': 'u1@example.com', count: 2 },
          { 'user.email': null, count: 1 },
        ],
      ],
    ],
  },
};

describe('wl import of the files of', () => {
  for (const [name, { args, events, profiles, answers }] of Object.entries(CASES))
    it(`${name} stores them as questions expect them`, async () => {
      const service = clientOf(await sharedService());
      const paths = args.map((arg) => (/\.(?:csv|jsonl|ndjson|zip)$|^plausible$/.test(arg) ? `${FOLDER}/${arg}` : arg));
      const { code, stdout, stderr } = await service.wl(['import', name, ...paths]);
      expect(code, stderr).to.equal(0);
      expect(JSON.parse(stdout)).to.deep.include({ format: name, profiles, not_imported: 0 });
      const { source, stored } = JSON.parse(stdout) as Readonly<Record<'source' | 'stored', object>>;
      expect(source).to.include({ events });
      expect(stored).to.deep.equal(source);
      for (const [q, rows] of answers) expect([q, await service.rows(q)]).to.deep.equal([q, rows]);
      expect((await service.wl(['import', ...paths])).code, 'a second time, with the format found').to.equal(0);
      expect(await service.rows(`* | ${YEAR} | count`)).to.deep.equal([{ count: events }]);
    });
});

describe('wl import of odd records of other products', () => {
  it('stores those that can be, and tells the others with their lines', async () => {
    const service = clientOf(await sharedService());
    const event = { event: 'a', distinct_id: 'u', timestamp: '2024-05-01T10:00:00Z' };
    const records = [
      {
        ...event,
        uuid: '1',
        properties: { text: 'x\0y', half: '\ud83d', deep: { list: [1, null, { z: '' }] }, none: null },
      },
      { ...event, uuid: '2', timestamp: null },
      { ...event, uuid: '3', timestamp: '2999-01-01T00:00:00Z' },
      { ...event, uuid: '4', distinct_id: 7, properties: null, ip: '\0' },
      { ...event, uuid: '5', event: ' ' },
    ];
    const input = `${records.map((record) => JSON.stringify(record)).join('\n')}\n{"event":"a","distinct`;
    const { code, stdout, stderr } = await service.wl(['import', 'posthog', '-'], { input });
    expect([code, JSON.parse(stdout)], stderr).to.have.deep.nested.property('[1].not_imported', 4);
    expect(code).to.equal(1);
    expect(stderr)
      .to.match(/line 2: timestamp is missing/)
      .and.match(/line 3: .*24 hours/)
      .and.match(/line 5: event is missing/);
    expect(
      await service.rows(`a | ${YEAR} | count by user_id, event_properties.text, event_properties.deep.list`),
    ).to.deep.equal([
      { user_id: '7', 'event_properties.text': null, 'event_properties.deep.list': null, count: 1 },
      { user_id: 'u', 'event_properties.text': 'x\0y', 'event_properties.deep.list': '[1,null,{"z":""}]', count: 1 },
    ]);
  });
});
