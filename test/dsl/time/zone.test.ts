import { HOUR_MS } from '../../../lib/base/day.ts';
import { expect } from 'chai';
import fc from 'fast-check';
import { localDate } from '../../../lib/dsl/time/calendar.ts';
import { findZone, utcOfLocal } from '../../../lib/dsl/time/zone.ts';
import { zone } from './zones.ts';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Africa/Monrovia',
  'Asia/Kathmandu',
  'Asia/Gaza',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Kwajalein',
  'Antarctica/Troll',
];

/** The offset from Intl, the slow way. */
function slowOffset(name: string, ms: number): number {
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  const parts = new Map(clock.formatToParts(ms).map((part) => [part.type, Number(part.value)]));
  const at = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? NaN;
  const second = Math.floor(ms / 1000) * 1000;
  const local = Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute'), at('second'));
  return local - second;
}

/** The moment of a local time; month from 1, then the day, and as far as given the time of day down to milliseconds. */
function utc(
  zoneName: string,
  year: number,
  month: number,
  ...[day, ...clock]: readonly [number, ...number[]]
): string {
  const [hour = 0, minute = 0, second = 0, millisecond = 0] = clock;
  const local = localDate(year, month, day) + hour * HOUR_MS + minute * 60_000 + second * 1_000 + millisecond;
  return new Date(utcOfLocal(zone(zoneName), local)).toISOString();
}

describe('findZone', () => {
  it('knows IANA names and UTC in any case, and gives them the case of the database', () => {
    expect(zone('europe/berlin').name).to.equal('Europe/Berlin');
    expect(zone('AMERICA/NEW_YORK').name).to.equal('America/New_York');
    expect(zone('utc').name).to.equal('UTC');
    expect(zone('Etc/UTC').name).to.equal('UTC');
  });

  it('keeps the name of an alias as it was asked for', () => {
    expect(zone('Asia/Kolkata').name).to.equal('Asia/Kolkata');
    expect(zone('Asia/Calcutta').name).to.equal('Asia/Calcutta');
  });

  it('is null for what is no zone', () => {
    for (const name of ['', ' ', 'Europe/Atlantis', '+02:00', '-05', 'Berlin', '__proto__', 'Europe/Berlin\n']) {
      expect(findZone(name), name).to.equal(null);
    }
  });

  it('goes on answering when more zones are asked for than are kept', () => {
    for (const name of Intl.supportedValuesOf('timeZone').slice(0, 200)) {
      expect(findZone(name), name).not.to.equal(null);
    }
    expect(zone('Europe/Berlin').offsetAt(Date.UTC(2026, 6, 1))).to.equal(2 * HOUR_MS);
  });
});

describe('Zone.offsetAt', () => {
  it('is right for odd offsets', () => {
    expect(zone('Asia/Kathmandu').offsetAt(Date.UTC(2026, 0, 1))).to.equal(5.75 * HOUR_MS);
    expect(zone('Asia/Kathmandu').offsetAt(Date.UTC(1980, 0, 1))).to.equal(5.5 * HOUR_MS);
    expect(zone('Australia/Lord_Howe').offsetAt(Date.UTC(2026, 0, 1))).to.equal(11 * HOUR_MS);
    expect(zone('Australia/Lord_Howe').offsetAt(Date.UTC(2026, 6, 1))).to.equal(10.5 * HOUR_MS);
    expect(zone('Africa/Monrovia').offsetAt(Date.UTC(1960, 0, 1))).to.equal(-(44 * 60 + 30) * 1000);
    expect(zone('Africa/Monrovia').offsetAt(Date.UTC(1980, 0, 1))).to.equal(0);
  });

  it('changes at the exact millisecond', () => {
    const berlin = zone('Europe/Berlin');
    const spring = Date.UTC(2026, 2, 29, 1);
    expect([berlin.offsetAt(spring - 1), berlin.offsetAt(spring)]).to.deep.equal([HOUR_MS, 2 * HOUR_MS]);
    const monrovia = zone('Africa/Monrovia');
    const metric = Date.UTC(1972, 0, 7, 0, 44, 30);
    expect([monrovia.offsetAt(metric - 1), monrovia.offsetAt(metric)]).to.deep.equal([-2_670_000, 0]);
  });

  it('equals what Intl says, at any moment of any zone', () => {
    const moment = fc.integer({ min: Date.UTC(1800, 0, 1), max: Date.UTC(2300, 0, 1) });
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), moment, (name, ms) => {
        expect(zone(name).offsetAt(ms)).to.equal(slowOffset(name, ms));
      }),
      { numRuns: 300 },
    );
  });

  it('goes on with the last rules for ever, and with the first offset before', () => {
    const berlin = zone('Europe/Berlin');
    for (const year of [2199, 2200, 2599, 2600, 3026, 9999]) {
      expect(berlin.offsetAt(Date.UTC(year, 0, 15)), `${year}`).to.equal(HOUR_MS);
      expect(berlin.offsetAt(Date.UTC(year, 6, 15)), `${year}`).to.equal(2 * HOUR_MS);
    }
    expect(berlin.offsetAt(-8e15)).to.equal(slowOffset('Europe/Berlin', Date.UTC(1801, 0, 1)));
  });
});

describe('Zone.stretchAt', () => {
  it('partitions time into stretches of one offset', () => {
    const moment = fc.integer({ min: Date.UTC(1700, 0, 1), max: Date.UTC(3100, 0, 1) });
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), moment, (name, ms) => {
        const place = zone(name);
        const { start, end, offset } = place.stretchAt(ms);
        expect(start <= ms && ms < end).to.equal(true);
        expect(place.offsetAt(ms)).to.equal(offset);
        if (Number.isFinite(end)) {
          expect(place.offsetAt(end - 1)).to.equal(offset);
          expect(place.stretchAt(end).start).to.equal(end);
        }
        if (Number.isFinite(start)) {
          expect(place.offsetAt(start)).to.equal(offset);
          expect(place.stretchAt(start - 1).end).to.equal(start);
        }
      }),
    );
  });
});

describe('utcOfLocal', () => {
  it('takes the first instant after the gap for a time that does not exist', () => {
    expect(utc('Europe/Berlin', 2026, 3, 29, 2, 30)).to.equal('2026-03-29T01:00:00.000Z');
    expect(utc('America/Sao_Paulo', 2018, 11, 4)).to.equal('2018-11-04T03:00:00.000Z');
    expect(utc('Pacific/Apia', 2011, 12, 30)).to.equal('2011-12-30T10:00:00.000Z');
    expect(utc('Pacific/Apia', 2011, 12, 30, 23, 59)).to.equal('2011-12-30T10:00:00.000Z');
    expect(utc('Australia/Lord_Howe', 2026, 10, 4, 2, 15)).to.equal('2026-10-03T15:30:00.000Z');
  });

  it('takes the first of two', () => {
    expect(utc('Europe/Berlin', 2026, 10, 25, 2, 30)).to.equal('2026-10-25T00:30:00.000Z');
    expect(utc('Australia/Lord_Howe', 2026, 4, 5, 1, 45)).to.equal('2026-04-04T14:45:00.000Z');
    expect(utc('America/St_Johns', 2006, 10, 29)).to.equal('2006-10-29T02:30:00.000Z');
  });

  it('takes minutes, seconds and milliseconds, and the years before 100', () => {
    expect(utc('Asia/Kathmandu', 2026, 1, 31, 10, 20, 30, 456)).to.equal('2026-01-31T04:35:30.456Z');
    expect(utc('UTC', 99, 12, 31)).to.equal('0099-12-31T00:00:00.000Z');
  });

  it('reads back what the clock showed, at that moment or an hour that came before it', () => {
    const moment = fc.integer({ min: Date.UTC(1890, 0, 1), max: Date.UTC(2210, 0, 1) });
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), moment, (name, ms) => {
        const place = zone(name);
        const shown = new Date(ms + place.offsetAt(ms));
        const back = utcOfLocal(place, shown.getTime());
        expect(back + place.offsetAt(back)).to.equal(shown.getTime());
        expect(back).to.be.at.most(ms);
        expect(ms - back).to.be.at.most(24 * HOUR_MS);
      }),
    );
  });
});
