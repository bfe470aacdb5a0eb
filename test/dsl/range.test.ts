import { expect } from 'chai';
import { AppError } from '../../lib/base/errors.ts';
import { CONTEXT, DAY, errorOf, expectError, HOUR, MINUTE, NOW, planOf } from './queries.ts';

/** The range as ISO texts in UTC. */
function range(query: string, now = NOW): [string, string] {
  const { from, to } = planOf(query, { now }).range;
  return [new Date(from).toISOString(), new Date(to).toISOString()];
}

function lengthOf(query: string): number {
  const { from, to } = planOf(query).range;
  expect(to).to.equal(NOW);
  return to - from;
}

const IN_BERLIN = '| tz "Europe/Berlin"';

describe('ranges', () => {
  it('has a default for each source', () => {
    const days: Readonly<Record<string, number>> = {
      '*': 7,
      '* | list': 7,
      '* | latest user.x': 7,
      'formula count(a)': 7,
      'paths from a': 7,
      sessions: 7,
      fields: 7,
      'inspect a': 7,
      'funnel a -> b': 30,
      'user "u"': 30,
      'user "u" | count': 30,
      users: 30,
      'stickiness a': 30,
      'choice k': 30,
      'attribution a | by user.x': 30,
      'choice k | results b': 30,
      inspect: 30,
      'inspect *': 30,
      'retention a': 84,
      'retention a | by week, user.plan': 84,
      'retention a | by user.plan': 84,
      'retention a | by day': 90,
      'lifecycle a': 84,
      'lifecycle a | by day': 90,
    };
    for (const [query, count] of Object.entries(days)) {
      expect(lengthOf(query) / DAY, query).to.equal(count);
    }
    expect(range('retention a | by month')).to.deep.equal(['2025-11-20T14:30:15.123Z', '2026-11-20T14:30:15.123Z']);
    expect(range('lifecycle a | by month')).to.deep.equal(['2025-11-20T14:30:15.123Z', '2026-11-20T14:30:15.123Z']);
  });

  it('reads lengths of time in any case, with or without a blank', () => {
    expect(lengthOf('* | last 90m')).to.equal(90 * MINUTE);
    expect(lengthOf('* | last 5 H')).to.equal(5 * HOUR);
    expect(lengthOf('* | last 7D')).to.equal(7 * DAY);
    expect(lengthOf('* | last 2\nw')).to.equal(14 * DAY);
  });

  it('reads units as words, singular too', () => {
    expect(lengthOf('* | last 90 minutes')).to.equal(90 * MINUTE);
    expect(lengthOf('* | last 1 minute')).to.equal(MINUTE);
    expect(lengthOf('* | last 5Hours')).to.equal(5 * HOUR);
    expect(lengthOf('* | last 7 days')).to.equal(7 * DAY);
    expect(lengthOf('* | last 1 DAY')).to.equal(DAY);
    expect(lengthOf('* | last 2 weeks')).to.equal(14 * DAY);
    const march = Date.UTC(2026, 2, 31, 12);
    for (const [words, unit] of [
      ['1 month', '1mo'],
      ['3 months', '3mo'],
      ['2 quarters', '2q'],
      ['1 quarter', '1q'],
      ['1 year', '1y'],
      ['4years', '4y'],
    ])
      expect(range(`* | last ${words}`, march), words).to.deep.equal(range(`* | last ${unit}`, march));
    expectError('* | last 7 ▲mins', 'did you mean `minute`?');
    expectError('* | last ▲7dayz', 'did you mean `7day`?');
    expect(planOf('days | count').kind, 'they are no reserved words').to.equal('aggregate');
  });

  it('reads since as from, and now behind to', () => {
    expect(range('* | since 2026-03-01')).to.deep.equal(range('* | from 2026-03-01'));
    expect(range('* | since 2026-03-01 to 2026-04-01')).to.deep.equal(range('* | from 2026-03-01 to 2026-04-01'));
    expect(range('* | from 2026-03-01 to now')).to.deep.equal(range('* | from 2026-03-01'));
    expect(range('* | since "2026-03-01T10:00" To NOW')[1]).to.equal('2026-11-20T14:30:15.123Z');
    expectError('* | from ▲now', 'expected a valid date or time');
    expectError('* | from 2027-03-01 to ▲"now"', 'expected a valid date or time');
    expectError('* | from ▲2027-03-01 to now', 'expected a time before now');
    expectError('▲now | count', 'expected a source');
  });

  it('goes with all from the earliest event to now', () => {
    const all = (earliest: number | null, query = '* | all') => planOf(query, { earliest }).range;
    expect(all(5)).to.deep.equal({ from: 5, to: NOW, all: true });
    expect(all(NOW + 5), 'nothing is in it').to.deep.equal({ from: NOW, to: NOW, all: true });
    expect(all(null), 'the default of the source').to.deep.equal({ from: NOW - 7 * DAY, to: NOW, all: true });
    expect(all(null, 'users | ALL').from).to.equal(NOW - 30 * DAY);
    expectError('* | all | ▲last 7d', 'expected the range once');
    expectError('▲all', 'expected a source');
  });

  it('steps months, quarters and years in the calendar', () => {
    const march = Date.UTC(2026, 2, 31, 12);
    expect(range('* | last 1mo', march)).to.deep.equal(['2026-02-28T12:00:00.000Z', '2026-03-31T12:00:00.000Z']);
    expect(range('* | last 1 Q', march)[0]).to.equal('2025-12-31T12:00:00.000Z');
    expect(range('* | last 2y', march)[0]).to.equal('2024-03-31T12:00:00.000Z');
    expect(range('* | last 1y', Date.UTC(2024, 1, 29))[0]).to.equal('2023-02-28T00:00:00.000Z');
  });

  it('keeps the wall clock of the zone in calendar steps, and lengths exact', () => {
    const april = Date.parse('2026-04-10T12:00:00+02:00');
    expect(range(`* | last 1mo ${IN_BERLIN}`, april)[0]).to.equal('2026-03-10T11:00:00.000Z');
    expect(range(`* | last 31d ${IN_BERLIN}`, april)[0]).to.equal('2026-03-10T10:00:00.000Z');
  });

  it('reaches no further back than a date can be written', () => {
    expect(range('* | last 9000y')[0]).to.equal('0001-01-01T00:00:00.000Z');
    expect(range('* | last 9007199254740991 d')[0]).to.equal('0001-01-01T00:00:00.000Z');
  });

  it('includes from and excludes to', () => {
    expect(range('* | from 2026-03-01 to 2026-04-01')).to.deep.equal([
      '2026-03-01T00:00:00.000Z',
      '2026-04-01T00:00:00.000Z',
    ]);
    expect(range('* | from 2026-03-01')).to.deep.equal(['2026-03-01T00:00:00.000Z', '2026-11-20T14:30:15.123Z']);
  });

  it('reads dates and times bare or as a string, with or without offset', () => {
    const start = (text: string): string => range(`* | from ${text} to 2026-12-01`)[0];
    expect(start('2026-01-31T10:00')).to.equal('2026-01-31T10:00:00.000Z');
    expect(start('"2026-01-31T10:00:05"')).to.equal('2026-01-31T10:00:05.000Z');
    expect(start('2026-01-31T10:00:00.1239')).to.equal('2026-01-31T10:00:00.123Z');
    expect(start('2026-01-31T10:00:00.1Z')).to.equal('2026-01-31T10:00:00.100Z');
    expect(start('2026-01-31T10:00+05:45')).to.equal('2026-01-31T04:15:00.000Z');
    expect(start('2026-01-31T10:00-02:00')).to.equal('2026-01-31T12:00:00.000Z');
    expect(start('"2026-01-31T10:00:00+0100"')).to.equal('2026-01-31T09:00:00.000Z');
    expect(start('"2026-01-31"')).to.equal('2026-01-31T00:00:00.000Z');
    expect(start('0099-01-01')).to.equal('0099-01-01T00:00:00.000Z');
    expect(start('2024-02-29')).to.equal('2024-02-29T00:00:00.000Z');
  });

  it('reads dates without offset as wall clock of the zone', () => {
    const start = (text: string): string => range(`* | from ${text} to 2026-12-01 ${IN_BERLIN}`)[0];
    expect(start('2026-07-01')).to.equal('2026-06-30T22:00:00.000Z');
    expect(start('2026-03-29T02:30')).to.equal('2026-03-29T01:00:00.000Z'); // does not exist: the first instant after it
    expect(start('2026-10-25T02:30')).to.equal('2026-10-25T00:30:00.000Z'); // exists twice: the first of them
    expect(start('2026-07-01T00:00Z')).to.equal('2026-07-01T00:00:00.000Z');
  });

  it('refuses dates that do not exist, at the date', () => {
    const dates = [
      '2026-02-30',
      '2026-13-01',
      '2026-00-01',
      '2026-01-00',
      '2025-02-29',
      '2026-1-1',
      '20260101',
      'march',
    ];
    const times = ['2026-01-31T24:00', '2026-01-31T10', '2026-01-31T10:60', '2026-01-31T10:00:60', '2026-01-31Z'];
    for (const text of [...dates, ...times, '"2026-01-31 10:00"', '2026-01-31T10:00+25:00']) {
      expectError(`* | from ▲${text}`, 'expected a valid date or time');
      expectError(`* | from 2026-01-01 to ▲${text}`, 'expected a valid date or time');
    }
  });

  it('refuses a range that ends before it starts', () => {
    expectError(
      '* | from 2026-03-02 to ▲2026-03-01',
      'expected a time later than that after `from`; `to` itself is not included',
    );
    expectError(
      '* | from 2026-03-02 to ▲2026-03-02',
      'expected a time later than that after `from`; `to` itself is not included',
    );
    expectError('* | from ▲2027-01-01', 'expected a time before now');
    expect(() => planOf('* | from 2026-01-01 to 2030-01-01')).not.to.throw();
  });

  it('starts calendar ranges at midnight, Monday and the first', () => {
    const now = '2026-11-20T14:30:15.123Z';
    expect(range('* | today')).to.deep.equal(['2026-11-20T00:00:00.000Z', now]);
    expect(range('* | yesterday')).to.deep.equal(['2026-11-19T00:00:00.000Z', '2026-11-20T00:00:00.000Z']);
    expect(range('* | this week')).to.deep.equal(['2026-11-16T00:00:00.000Z', now]);
    expect(range('* | this month')).to.deep.equal(['2026-11-01T00:00:00.000Z', now]);
    expect(range('* | this QUARTER')).to.deep.equal(['2026-10-01T00:00:00.000Z', now]);
    expect(range('* | this year')).to.deep.equal(['2026-01-01T00:00:00.000Z', now]);
    expect(range(`* | today ${IN_BERLIN}`)[0]).to.equal('2026-11-19T23:00:00.000Z');
  });

  it('takes days as long as they are', () => {
    const afterSpring = Date.parse('2026-03-30T10:00:00Z');
    expect(range(`* | yesterday ${IN_BERLIN}`, afterSpring)).to.deep.equal([
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ]);
  });

  it('holds the day of arrival for today in the last millisecond of a day', () => {
    const midnight = Date.UTC(2026, 10, 21);
    expect(range('* | today', midnight)).to.deep.equal(['2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z']);
  });

  it('points at what a range lacks', () => {
    expectError('* | last▲', 'expected a duration');
    expectError('* | last ▲week', 'expected a duration');
    expectError('* | last ▲0d', 'at least 1');
    expectError('* | last ▲-1d', 'at least 1');
    expectError('* | last ▲1.5d', 'expected a duration');
    expectError('* | last 7▲', 'expected a unit of time');
    expectError('* | last 7 ▲| count', 'expected a unit of time');
    expectError('* | last ▲7x', 'expected a unit of time');
    expectError('* | last 7 ▲dayz', 'did you mean `day`?');
    expectError('* | last ▲7monts', 'did you mean `7month`?');
    expectError('* | from▲', 'expected a date');
    expectError('* | from 2026-01-01 to▲', 'expected a date');
    expectError('* | this ▲day', 'expected one of week, month, quarter, year');
    expectError('* | this ▲wek', 'did you mean `week`?');
  });
});

describe('zones', () => {
  it('takes that of the query, else the request, else the project', () => {
    const timezone = { request: 'Asia/Kathmandu', project: 'America/New_York' };
    expect(planOf('* | tz "Europe/Berlin"', { timezone }).zone).to.equal('Europe/Berlin');
    expect(planOf('*', { timezone }).zone).to.equal('Asia/Kathmandu');
    expect(planOf('*', { timezone: { project: 'America/New_York' } }).zone).to.equal('America/New_York');
    expect(planOf('*').zone).to.equal('UTC');
  });

  it('refuses an unknown one at its name', () => {
    expectError('* | tz ▲"Europe/Bärlin"', 'expected the name of a time zone');
    expectError('* | tz ▲"+02:00"', 'expected the name of a time zone');
    expectError('* | tz ▲Europe/Berlin', '"Europe/Berlin"');
    const error = errorOf('*', { ...CONTEXT, timezone: { request: 'Nowhere', project: 'UTC' } });
    expect(error).to.be.instanceOf(AppError);
    expect(error.data.code).to.equal('bad_request');
  });

  it('refuses more buckets than an answer can have, at the bucket or else at the range', () => {
    const refused = 'expected a range of at most 1000000 buckets of one';
    for (const source of [
      '*',
      'users',
      'sessions',
      'formula count(a)',
      'funnel a -> b',
      'choice k',
      '* | latest user.x',
    ]) {
      expectError(`${source} | by ▲hour | last 200y`, `${refused} hour`);
    }
    expectError('* | last 200y | count by event_type, ▲hour', 'choose a shorter range or a longer bucket');
    for (const source of ['retention a', 'lifecycle a']) {
      expectError(`${source} | by ▲day | from 0001-01-01 to 9999-01-01`, `${refused} day`);
    }
    for (const source of ['sessions', 'stickiness a']) {
      expectError(`${source} | ▲from 0001-01-01 to 9999-01-01`, `${refused} day; choose a shorter range`);
    }
    expect(lengthOf('* | count by hour | last 100y') / DAY).to.be.greaterThan(36_000);
    expect(planOf('* | list | from 0001-01-01 to 9999-01-01').kind).to.equal('list');
  });
});
