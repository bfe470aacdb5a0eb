import { expect } from 'chai';
import { locationOf } from '../../../lib/router/ingest/origin.ts';
import { startTestService } from '../../support/service.ts';

describe('the place of a client', () => {
  it("is read from each proxy's headers", () => {
    expect(
      locationOf({ 'cf-ipcountry': 'DE', 'cf-ipcity': 'KÃ¶ln', 'cf-timezone': 'Europe/Berlin' }, 'fly'),
    ).to.deep.equal({
      country: 'DE',
      city: 'Köln',
      timezone: 'Europe/Berlin',
    });
    expect(locationOf({ 'x-vercel-ip-country': 'BR', 'x-vercel-ip-city': 'S%C3%A3o%20Paulo' }, 'fly')).to.deep.equal({
      country: 'BR',
      city: 'São Paulo',
    });
    expect(
      locationOf({ 'cloudfront-viewer-country': 'JP', 'cloudfront-viewer-latitude': '35.6' }, 'fly'),
    ).to.deep.equal({
      country: 'JP',
      latitude: '35.6',
    });
    expect(locationOf({ 'x-geo-country': 'FR', 'cf-ipcountry': 'DE' }, 'fly')).to.deep.equal({ country: 'FR' });
  });

  it('is nothing when the proxy does not know', () => {
    expect(locationOf({}, 'fly')).to.equal(null);
    expect(locationOf({ 'cf-ipcountry': 'XX' }, 'fly')).to.equal(null);
  });

  it("is the region of Fly.io's edge only where nothing knows better", () => {
    expect(locationOf({ 'fly-region': 'fra' }, 'fly')).to.deep.equal({ region: 'fra' });
    expect(locationOf({ 'fly-region': 'fra' }, 'database')).to.equal(null);
  });

  it('counts from trusted proxies only', async () => {
    for (const [proxies, country] of [
      ['none', null],
      ['127.0.0.1', 'DE'],
    ] as const) {
      const test = await startTestService({ WINDLASS_TRUSTED_PROXIES: proxies });
      await test.post('/track', { event_type: 'a', clientOriginated: true }, { 'CF-IPCountry': 'DE' });
      expect(await test.rows('a | count by _country')).to.deep.equal([{ _country: country, count: 1 }]);
      await test.stop();
    }
  });
});
