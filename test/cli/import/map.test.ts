import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readTime } from '../../../lib/base/read-time.ts';
import { mappedFormat } from '../../../lib/cli/import/map/mapped-format.ts';
import { readMap } from '../../../lib/cli/import/map/read-map.ts';
import { timeFormat } from '../../../lib/cli/import/map/time-format.ts';
import { WallClock } from '../../../lib/cli/import/wall-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function written(text: string): string {
  const path = join(temporaryFolder(), 'map.yaml');
  writeFileSync(path, text);
  return path;
}

const mapped = async (text: string, record: Readonly<Record<string, unknown>>): ReturnType<typeof mapOf> =>
  mapOf(text, record);

async function mapOf(text: string, record: Readonly<Record<string, unknown>>) {
  return mappedFormat(await readMap(written(text)), 'csv').map(record);
}

describe('the map of an import', () => {
  it('fills fields from paths, constants and templates, with types, and keeps the rest as properties', async () => {
    const text = `
fields: { user_id: customer.id, time: created, event_properties.amount: total }
constants: { event_properties.source: shop, event_properties.test: false }
templates: { event_type: 'order {status}', user_properties.name: '{customer.first} {customer.last}' }
types: { event_properties.amount: number, event_properties.paid: boolean, event_properties.items: json }
time_format: DD.MM.YYYY HH:mm
`;
    const customer = { id: 'c1', first: 'Ada', last: 'L', city: 'London' };
    const record = {
      status: 'paid',
      total: '12.50',
      created: '03.11.2026 09:05',
      paid: 'yes',
      items: '[1,2]',
      customer,
    };
    const { events, lost } = await mapped(text, record);
    expect(lost).to.deep.equal([]);
    expect(events).to.deep.equal([
      {
        event_type: 'order paid',
        user_id: 'c1',
        time: '2026-11-03T09:05:00',
        user_properties: { name: 'Ada L' },
        event_properties: {
          ...{ amount: 12.5, source: 'shop', test: false, paid: true, items: [1, 2], status: 'paid' },
          customer: { first: 'Ada', last: 'L', city: 'London' },
        },
      },
    ]);
    expect(record.customer, 'the record itself')
      .to.equal(customer)
      .and.to.deep.equal({ ...customer });
  });

  it('may drop the rest, and make profiles', async () => {
    const profiles = 'kind: profiles\nfields: { user_id: id }\nrest: properties\n';
    expect((await mapped(profiles, { id: 7, plan: 'pro' })).identifies).to.deep.equal([
      { user_id: 7, user_properties: { plan: 'pro' } },
    ]);
    const few = 'fields: { event_type: what }\nrest: drop\n';
    expect((await mapped(few, { what: 'a', other: 1 })).events).to.deep.equal([
      { event_type: 'a', event_properties: {} },
    ]);
  });

  it('tells what is not of its type or time, and a record without a type', async () => {
    const text = 'fields: { event_type: t }\ntypes: { event_properties.n: number }\ntime_format: seconds\n';
    const { events, lost } = await mapped(text, { t: 'a', n: '1,5', time: '1767225600' });
    expect(events).to.deep.equal([{ event_type: 'a', time: 1_767_225_600_000, event_properties: { n: '1,5' } }]);
    expect(lost).to.deep.equal([{ field: 'event_properties.n', why: 'no number: it stays text' }]);
    for (const record of [{ t: 'a', time: 'noon' }, { name: 'x' }])
      await mapped(text, record).then(
        () => expect.fail('it was taken'),
        (error: Error) =>
          expect(error.message).to.match(/not as time_format says: "noon"|event_type is missing; it has "name"/),
      );
  });

  it('names every mistake with its place', async () => {
    const text =
      'feilds: {}\nfields: { prize: x, user_id: 7 }\ntypes: { time: date }\ntime_format: HH:mm\nkind: people\n';
    const told = await readMap(written(text)).then(
      () => expect.fail('it was taken'),
      (error: Error & { readonly hints: readonly string[] }) =>
        error.hints.map((hint) => hint.replace(/^\S*map\.yaml:/, '')),
    );
    expect(told.map((one) => one.slice(0, 34))).to.deep.equal([
      '1:1 there is no "feilds": a map ha',
      '2:11 an event has no field "prize"',
      '2:30 this must be a text',
      '3:16 this must be text, number, bo',
      '4:14 time_format: it names no date',
      '5:7 kind is events or profiles',
    ]);
    for (const broken of ['- a', '{', '', 'a: &a [*a, *a]'])
      await readMap(written(broken)).then(
        () => expect.fail(`it was taken: ${broken}`),
        (error: Error) => expect(error.message).to.equal('The map has mistakes.'),
      );
  });
});

describe('times of imports', () => {
  const NOON = Date.parse('2026-11-03T12:04:05.250Z');

  it('are read in every kind that a map names', () => {
    const cases: readonly (readonly [format: string, value: unknown, time: number])[] = [
      ['seconds', 1_793_707_445.25, NOON],
      ['seconds', '1793707445.25', NOON],
      ['milliseconds', NOON, NOON],
      ['microseconds', NOON * 1_000, NOON],
      ['nanoseconds', `${NOON}000000`, NOON],
      ['YYYY-MM-DD HH:mm:ss.SSS', '2026-11-03 12:04:05.250', NOON],
      ['DD/MM/YYYY hh:mm:ss.SSS A', '03/11/2026 12:04:05.25 pm', NOON],
      ['M/D/YY H:mm:ss.SSSZ', '11/3/26 14:04:05.25+02:00', NOON],
      ['D MMM YYYY, HH:mm:ss.SSS', '3 November 2026, 12:04:05.25', NOON],
      ['MM/DD/YYYY', '11/03/2026', Date.parse('2026-11-03T00:00:00Z')],
    ];
    for (const [format, value, time] of cases) {
      const read = timeFormat(format);
      if (typeof read === 'string') return expect.fail(`${format}: ${read}`);
      expect(readTime(read(value)), `${format} ${String(value)}`).to.equal(time);
    }
  });

  it('are none where they do not fit their format', () => {
    const read = timeFormat('DD.MM.YYYY');
    if (typeof read === 'string') return expect.fail(read);
    for (const value of ['2026-11-03', '3.11.2026', '03.11.2026 12:00', '', null, 7, {}])
      expect(read(value)).to.equal(null);
    expect(readTime(read('31.02.2026'))).to.equal(null);
    for (const format of ['', 'HH:mm', 'YYYY', 'DD.MM.YYYY DD', 'x'.repeat(100)])
      expect(timeFormat(format)).to.be.a('string');
  });

  it('without an offset are those of a zone, in summer, in winter, and where clocks are set', () => {
    const berlin = new WallClock('Europe/Berlin');
    const at = (text: string): string => String(berlin.timeOf(text));
    expect(at('2026-01-15T12:00:00')).to.equal('2026-01-15T11:00:00.000Z');
    expect(at('2026-07-15 12:00')).to.equal('2026-07-15T10:00:00.000Z');
    expect(at('2026-10-25T02:30:00.5')).to.equal('2026-10-25T00:30:00.500Z'); // the first of two
    expect(at('2026-10-25T03:30:00')).to.equal('2026-10-25T02:30:00.000Z');
    expect(at('2026-03-29T03:30:00')).to.equal('2026-03-29T01:30:00.000Z');
    expect(at('2026-11-03')).to.equal('2026-11-02T23:00:00.000Z');
    expect(new WallClock('Asia/Kathmandu').timeOf('2026-11-03T00:00')).to.equal('2026-11-02T18:15:00.000Z');
    for (const value of ['2026-11-03T12:00:00Z', '2026-11-03T12:00:00+01:00', 7, undefined, 'soon'])
      expect(berlin.timeOf(value)).to.equal(value);
  });
});
