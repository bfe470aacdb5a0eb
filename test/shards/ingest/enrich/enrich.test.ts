import { expect } from 'chai';
import { enrichEvent, enrichRequest } from '../../../../lib/shards/ingest/enrich/enrich.ts';
import type { Locations } from '../../../../lib/shards/ingest/enrich/geo.ts';
import type { RequestContext } from '../../../../lib/shards/request.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0';
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Mobile/15E148 Safari/604.1';

/** Knows countries by the first octet. */
const places: Locations = {
  lookup: (ip) =>
    ip.startsWith('81.') ? { country: 'DE', city: 'Berlin' } : ip.startsWith('8.') ? { country: 'US' } : null,
};

const request = (fields: Partial<RequestContext> = {}): RequestContext => ({
  receivedAt: 0,
  keyKind: 'trusted',
  ip: '81.2.69.142',
  userAgent: FIREFOX,
  place: null,
  ...fields,
});

const options = { policy: 'anonymized', places } as const;
const record = (fields: readonly (readonly [string, string])[] | null): Record<string, string> =>
  Object.fromEntries(fields ?? []);

describe('enrichRequest', () => {
  it('tells browser, device, place and address', () => {
    expect(record(enrichRequest(request(), options).client)).to.deep.equal({
      _browser: 'Firefox',
      _browser_version: '120.0',
      _os: 'Linux',
      _device_type: 'desktop',
      _platform: 'web',
      _ua: FIREFOX,
      _ip: '81.2.69.0',
      _country: 'DE',
      _city: 'Berlin',
    });
  });

  it('takes the place that a trusted proxy told before that of the address', () => {
    const place = {
      country: 'FR',
      region: 'Île-de-France',
      city: '',
      continent: 'EU',
      timezone: 'Europe/Paris',
      latitude: '48.8',
      longitude: '2.3',
    };
    expect(record(enrichRequest(request({ place, userAgent: null }), options).client)).to.deep.equal({
      _ip: '81.2.69.0',
      _country: 'FR',
      _region: 'Île-de-France',
      _continent: 'EU',
      _timezone: 'Europe/Paris',
      _latitude: '48.8',
      _longitude: '2.3',
    });
  });

  it('tells the place but no address under the policy none', () => {
    const { client } = enrichRequest(request({ userAgent: null }), { policy: 'none', places });
    expect(record(client)).to.deep.equal({ _country: 'DE', _city: 'Berlin' });
  });

  it('tells nothing of what is not known', () => {
    expect(
      enrichRequest(request({ ip: null, userAgent: null }), { policy: 'full', places: null }).client,
    ).to.deep.equal([]);
  });

  it('gives events of origin server nothing of the request', () => {
    expect(record(enrichRequest(request(), options).server)).to.deep.equal({ _platform: 'server' });
  });

  it('gives events that a server sends nothing of the request', () => {
    const bot = request({ userAgent: 'python-requests/2.31.0' });
    expect(enrichRequest(bot, options).unknown).to.deep.equal([]);
  });

  it('gives events of the first rules what these gave', () => {
    const { client, unknown } = enrichRequest(request({ rules: 1 }), options);
    expect(unknown).to.deep.equal(client).and.not.deep.equal([]);
  });
});

describe('enrichEvent', () => {
  it('is null for an event that says nothing of its own', () => {
    expect(enrichEvent({ ip: null, userAgent: null, stated: [], origin: 'client' }, request(), options)).to.equal(null);
  });

  it('takes each part from the event, else from the request of its client', () => {
    const told = { ip: '8.8.8.8', userAgent: null, stated: [], origin: 'client' } as const;
    const own = record(enrichEvent(told, request({ place: { country: 'FR' } }), options));
    expect(own).to.include({ _browser: 'Firefox', _ip: '8.8.8.0', _country: 'US' });
    const agent = record(
      enrichEvent({ ip: null, userAgent: SAFARI, stated: [], origin: 'client' }, request(), options),
    );
    expect(agent).to.include({ _browser: 'Safari', _os: 'iOS', _ip: '81.2.69.0', _country: 'DE' });
  });

  it("takes what the event does not say from nowhere when the request is a server's", () => {
    const place = { country: 'FR' };
    const own = record(
      enrichEvent({ ip: '8.8.8.8', userAgent: null, stated: [], origin: 'unknown' }, request({ place }), options),
    );
    expect(own).to.deep.equal({ _ip: '8.8.8.0', _country: 'US' });
    const agent = record(
      enrichEvent({ ip: null, userAgent: SAFARI, stated: [], origin: 'unknown' }, request({ place }), options),
    );
    expect(agent).to.include({ _browser: 'Safari' }).and.not.have.any.keys('_ip', '_country');
    const old = enrichEvent(
      { ip: null, userAgent: SAFARI, stated: [], origin: 'unknown' },
      request({ rules: 1 }),
      options,
    );
    expect(record(old)).to.include({ _browser: 'Safari', _country: 'DE' });
  });

  it('takes nothing from the request for an event of origin server', () => {
    const agent = record(
      enrichEvent({ ip: null, userAgent: SAFARI, stated: [], origin: 'server' }, request(), options),
    );
    expect(agent).to.include({ _browser: 'Safari', _platform: 'web' }).and.not.have.any.keys('_ip', '_country');
    expect(
      record(enrichEvent({ ip: '8.8.8.8', userAgent: null, stated: [], origin: 'server' }, request(), options)),
    ).to.deep.equal({
      _platform: 'server',
      _ip: '8.8.8.0',
      _country: 'US',
    });
  });

  it('takes what is stated in place of what would be derived, and no part of another place', () => {
    const stated = [['_browser', 'Arc'], ['_country', 'FR'], ['_platform', 'desktop']] as const; // prettier-ignore
    const own = record(
      enrichEvent({ ip: '81.2.69.7', userAgent: SAFARI, stated, origin: 'unknown' }, request(), options),
    );
    expect(own).to.include({ _browser: 'Arc', _os: 'iOS', _platform: 'desktop', _country: 'FR', _ip: '81.2.69.0' });
    expect(own).to.not.have.any.keys('_city', '_region');
    const server = enrichEvent(
      { ip: null, userAgent: null, stated: [['_platform', 'tv']], origin: 'server' },
      request(),
      options,
    );
    expect(server).to.deep.equal([['_platform', 'tv']]);
    const client = record(
      enrichEvent({ ip: null, userAgent: null, stated: [['_os', 'iOS']], origin: 'client' }, request(), options),
    );
    expect(client).to.include({ _os: 'iOS', _browser: 'Firefox', _city: 'Berlin' });
  });

  it('keeps nothing of an address that is none', () => {
    expect(
      enrichEvent({ ip: 'here', userAgent: null, stated: [], origin: 'server' }, request(), options),
    ).to.deep.equal([['_platform', 'server']]);
  });
});
