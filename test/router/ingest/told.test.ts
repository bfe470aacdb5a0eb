/** What is not stored as it was sent is counted, told, and refused where the sender is strict. */
import { expect } from 'chai';
import { jsonOf, type TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { makeTenant, send, type Tenant } from '../../support/tenants.ts';

const NDJSON = { 'Content-Type': 'application/x-ndjson' };
const REPORT = '/track?report=true';

describe('what is not stored as it was sent', () => {
  let test: TestService;
  /** A new one for each test, as they count. */
  let tenant: Tenant;
  let tenants = 0;
  before(async () => {
    test = await sharedService();
  });
  beforeEach(async () => {
    tenant = await makeTenant(test, `Told${tenants++}`);
  });

  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    test.post(path, body, { 'X-API-Key': tenant.secretKey, ...headers });
  const sent = async (path: string, body: unknown, headers: Record<string, string> = {}) =>
    jsonOf(await post(path, body, headers));
  const rowsOf = async (q: string): Promise<Record<string, unknown>[]> =>
    (await post('/query', { q, format: 'json' })).json() as Promise<Record<string, unknown>[]>;

  /** The counters of today, once so many events were counted. */
  async function usage(ingested: number): Promise<Record<string, unknown>> {
    for (;;) {
      const asked = send(test, ['GET', `/api/projects/${tenant.projectId}/usage`], { cookie: tenant.cookies.viewer });
      const days = (await (await asked).json()) as Record<string, unknown>[];
      const found = days.find((day) => day['events_ingested'] === ingested);
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  it('is told of each time that cannot be read or lies ahead, by event, and counted', async () => {
    const times = ['11/02/2026', '2026-09-01T25:00:00Z', '9999-01-01', '', {}];
    const events = [{ event_type: 'fine', time: '2019-10-01 00:00:00 UTC' }, { event_type: 'fine' }];
    const bad = times.map((time) => ({ event_type: 'now', time }));
    const answer = await sent(REPORT, { events: [...events, ...bad] });
    expect(answer).to.deep.include({ accepted: 7, rejected: 0, errors: [] });
    const unread = 'cannot be read as a time; the time of arrival was taken';
    expect(answer['warnings']).to.deep.equal([
      { index: 2, field: 'time', message: unread, sent: '11/02/2026' },
      { index: 3, field: 'time', message: unread, sent: '2026-09-01T25:00:00Z' },
      { index: 4, field: 'time', message: 'lies more than 24 hours ahead; the time of arrival was taken', sent: '9999-01-01' },
      { index: 5, field: 'time', message: unread, sent: '' },
      { index: 6, field: 'time', message: unread, sent: '{…}' },
    ]); // prettier-ignore
    const rows = await rowsOf('fine | from 2019-09-30 to 2019-10-02 | list');
    expect(rows.map(({ time }) => time)).to.deep.equal(['2019-10-01T00:00:00.000Z']);
    expect(await usage(7)).to.include({ times_replaced: 5, fields_ignored: 0, values_trimmed: 0, ids_ignored: 0 });
  });

  it('is told of in ordinary batches too: a time ahead, among events that are read without JSON.parse', async () => {
    const ahead = new Date(Date.now() + 25 * 3_600_000).toISOString();
    const usual = Array.from({ length: 40 }, (_, i) => ({ event_type: 'usual', insert_id: `i${i}` }));
    const body = { events: [...usual, { event_type: 'usual', time: ahead }, ...usual] };
    const { warnings } = await sent(REPORT, body);
    expect(warnings).to.have.length(1).and.to.have.nested.property('[0].index', 40);
    const [line] = (await sent('/track', body.events.map((e) => JSON.stringify(e)).join('\n'), NDJSON))[
      'warnings'
    ] as unknown[];
    expect(line).to.include({ line: 41, field: 'time', sent: ahead });
  });

  it('is told of unknown fields with what they should be, of dropped and trimmed values, and of ids for nothing', async () => {
    const event = {
      ...{ event_type: 'odd', price: 35.79, properties: { a: 1 }, userId: 'u', _path: 'x' },
      event_properties: { ok: 1, long: 'x'.repeat(9_000), deep: nested(33) },
      ...{ user_properties: 'none', device_id: 'guest', session_id: -1, user_id: 'unknown' },
    };
    const { warnings } = await sent(REPORT, event);
    const told = (warnings as { field: string; message: string }[]).map(({ field, message }) => `${field}: ${message}`);
    expect(told.sort()).to.deep.equal(
      [
        'price: unknown field, left out: write it as event_properties.price',
        'properties: unknown field, left out: write it as event_properties',
        'userId: unknown field, left out: write it as user_id',
        '_path: unknown field, left out: the server finds such fields itself; properties of your own belong into event_properties',
        'event_properties.long: the text was cut to 8,192 characters',
        'event_properties.deep: is nested deeper than 32 levels; it was left out',
        'user_properties: must be an object; it was left out',
        'device_id: stands for no id; the field counts as missing',
        'session_id: stands for no id; the field counts as missing',
        'user_id: looks like no id, but is stored as one person',
      ].sort(),
    );
    expect((await rowsOf('odd | list'))[0]).to.deep.include({ user_id: 'unknown', device_id: null, session_id: null });
    expect(await usage(1)).to.include({ times_replaced: 0, fields_ignored: 4, values_trimmed: 3, ids_ignored: 2 });
  });

  it('is told of a public key that states what only servers may', async () => {
    const key = { 'X-API-Key': tenant.publicKey };
    const { warnings } = await sent(REPORT, { event_type: 'e', ip: '1.2.3.4' }, key);
    expect(warnings).to.have.length(1).and.to.have.nested.property('[0].field', 'ip');
    expect(await sent(`${REPORT}&strict=true`, { event_type: 'e', ip: '1.2.3.4' }, key)).to.include({ rejected: 1 });
    expect((await sent(REPORT, { event_type: 'e', ip: '1.2.3.4' }))['warnings']).to.deep.equal([]);
  });

  it('is refused where the request, or the root of the batch, is strict, with its reason', async () => {
    const events = [
      { event_type: 's', time: '11/02/2026' },
      { event_type: 's', time: Date.now() + 25 * 3_600_000 },
      { event_type: 's', properties: {} },
      { event_type: 's', event_properties: [1] },
      { event_type: 's', event_properties: { a: nested(33) } },
      { event_type: 's', event_properties: { a: ['x'.repeat(70_000)] } },
      { event_type: 's', library: 5 },
    ];
    const fine = [
      { event_type: 's', device_id: 'guest', session_id: '0', user_id: 'null' },
      { event_type: 's', event_properties: { a: 'x'.repeat(9_000) } },
      { event_type: 's', time: '1970-01-01' },
      { event_type: 's', user_id: null },
    ];
    const answers = [
      await sent(`${REPORT}&strict=true`, { events: [...events, ...fine] }),
      await sent(REPORT, { strict: true, events: [...events, ...fine] }),
      await sent(REPORT, { events: [...events, ...fine], strict: true }),
    ];
    for (const answer of answers) {
      expect(answer).to.include({ accepted: 4, rejected: 7 });
      expect((answer['errors'] as { error: string }[]).map(({ error }) => error)).to.deep.equal([
        'time cannot be read as a time: "11/02/2026"',
        `time lies more than 24 hours ahead: ${events[1]?.time}`,
        'unknown field "properties": write it as event_properties',
        'event_properties must be an object',
        'event_properties.a is nested deeper than 32 levels',
        'event_properties.a is larger than 64 KiB of JSON',
        'library must be a string',
      ]);
    }
    const lines = [...events, ...fine].map((event) => JSON.stringify(event)).join('\n');
    expect(await sent('/track?strict=true', lines, NDJSON)).to.include({ accepted: 4, rejected: 7 });
    expect(await usage(16)).to.include({
      times_replaced: 0,
      fields_ignored: 0,
      values_trimmed: 4,
      events_rejected: 28,
    });
  });

  it('is told of a sent_at that is over a day off, which corrects nothing', async () => {
    const event = { event_type: 'replayed', time: '2025-03-01T10:00:00Z' };
    const { warnings } = await sent(REPORT, { sent_at: '2025-03-01T10:00:01Z', events: [event, event] });
    expect(warnings).to.have.length(1);
    expect((warnings as unknown[])[0]).to.include({ index: null, field: 'sent_at', sent: '2025-03-01T10:00:01.000Z' });
    const [row] = await rowsOf('replayed | from 2025-01-01 to 2025-12-31 | count by time');
    expect(row).to.deep.equal({ time: '2025-03-01T10:00:00.000Z', count: 2 });
    expect(await usage(2)).to.include({ times_replaced: 1 });
  });

  it('is at most twenty warnings, by line in bulk', async () => {
    const lines = Array.from({ length: 50 }, (_, i) => `{"event_type":"b","price":${i}}`);
    expect(
      (await sent(REPORT, { events: lines.map((line) => JSON.parse(line) as unknown) }))['warnings'],
    ).to.have.length(20);
    const { warnings, first_errors: errors } = await sent('/track', ['', ...lines].join('\n'), NDJSON);
    expect([warnings, errors]).to.have.nested.property('[0].length', 20);
    expect((warnings as { line: number }[]).map(({ line }) => line)).to.deep.equal(
      Array.from({ length: 20 }, (_, i) => i + 2),
    );
    expect(errors).to.deep.equal([]);
  });

  it('concerns identifies as well', async () => {
    const identify = {
      user_id: 'anonymous',
      traits: { plan: 'pro' },
      time: 'soon',
      user_property_ops: { $inc: { a: 1 } },
    };
    const answer = await sent('/identify?report=true', identify);
    expect((answer['warnings'] as { field: string }[]).map(({ field }) => field).sort()).to.deep.equal([
      'time',
      'traits',
      'user_id',
      'user_property_ops.$inc',
    ]);
    const strict = await post('/identify?strict=true', identify);
    expect(strict.status).to.equal(400);
    expect((await jsonOf(strict))['error']).to.include('time cannot be read as a time: "soon"');
    expect(await sent('/identify?strict=1', JSON.stringify(identify), NDJSON)).to.include({ accepted: 0, rejected: 1 });
  });
});

const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
