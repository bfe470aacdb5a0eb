import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocations, sharedDatabase } from '../../../../lib/shards/ingest/enrich/geo.ts';
import { mmdb, network } from './mmdb.ts';

describe('openLocations', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'windlass-geo-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  const fileOf = (bytes: Uint8Array): string => {
    const file = join(folder, 'places.mmdb');
    writeFileSync(file, bytes);
    return file;
  };

  const berlin = {
    country: { iso_code: 'DE' },
    continent: { code: 'EU' },
    city: { names: { en: 'Berlin', de: 'Berlin' } },
    subdivisions: [{ iso_code: 'BE', names: { en: 'State of Berlin' } }],
    location: { time_zone: 'Europe/Berlin', latitude: 52.52, longitude: 13.4 },
  };

  it('tells the place of an address', () => {
    const places = openLocations(
      fileOf(mmdb([network('81.2.69.0/24', berlin), network('2001:db8::/32', { country: { iso_code: 'FR' } })])),
    );
    const expected = {
      country: 'DE',
      region: 'State of Berlin',
      city: 'Berlin',
      continent: 'EU',
      timezone: 'Europe/Berlin',
      latitude: '52.52',
      longitude: '13.4',
    };
    expect(places.lookup('81.2.69.142')).to.deep.equal(expected);
    expect(places.lookup('::ffff:81.2.69.142')).to.deep.equal(expected);
    expect(places.lookup('2001:db8:1::5')).to.deep.equal({ country: 'FR' });
  });

  it('takes the region by its code, and the registered country, where it knows no better', () => {
    const data = { registered_country: { iso_code: 'US' }, subdivisions: [{ iso_code: 'CA' }] };
    const places = openLocations(fileOf(mmdb([network('8.8.8.0/24', data)])));
    expect(places.lookup('8.8.8.8')).to.deep.equal({ country: 'US', region: 'CA' });
  });

  it('reads what another thread has read', () => {
    const file = fileOf(mmdb([network('8.8.8.0/24', berlin)]));
    const places = openLocations(file, sharedDatabase(file));
    expect(places.lookup('8.8.8.8')).to.deep.include({ country: 'DE', city: 'Berlin' });
  });

  it('is null for an address that the database does not know, and for what is none', () => {
    const places = openLocations(fileOf(mmdb([network('8.8.8.0/24', { traits: {} })])));
    for (const ip of ['8.8.8.8', '9.9.9.9', '2001:db8::1', 'localhost', '', '8.8.8'])
      expect(places.lookup(ip), ip).to.equal(null);
  });

  it('names the file that it cannot read', () => {
    expect(() => openLocations(fileOf(Buffer.from('no database')))).to.throw(/places\.mmdb cannot be read/);
    for (const read of [openLocations, sharedDatabase])
      expect(() => read(join(folder, 'missing.mmdb'))).to.throw(/missing\.mmdb cannot be read/);
  });
});
