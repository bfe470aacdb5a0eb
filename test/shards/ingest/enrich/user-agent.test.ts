import { expect } from 'chai';
import { userAgentFields } from '../../../../lib/shards/ingest/enrich/user-agent.ts';

const fields = (userAgent: string): Record<string, string> => {
  const { _ua: _, ...others } = Object.fromEntries(userAgentFields(userAgent));
  return others;
};

describe('userAgentFields', () => {
  const desktop =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';

  it('tells browser, system and device', () => {
    expect(fields(desktop)).to.deep.equal({
      _browser: 'Chrome',
      _browser_version: '120.0.0.0',
      _os: 'Windows',
      _os_version: '10',
      _device_type: 'desktop',
      _platform: 'web',
    });
    const iphone =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Mobile/15E148 Safari/604.1';
    expect(fields(iphone)).to.deep.equal({
      _browser: 'Safari',
      _browser_version: '17.1',
      _os: 'iOS',
      _os_version: '17.1',
      _device_type: 'mobile',
      _platform: 'web',
    });
    const ipad =
      'Mozilla/5.0 (iPad; CPU OS 13_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.0 Mobile/15E148 Safari/604.1';
    expect(fields(ipad)).to.include({ _device_type: 'tablet', _os: 'iOS' });
  });

  it('marks bots, and no HTTP library', () => {
    const bot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
    expect(fields(bot)).to.deep.equal({ _browser: 'Googlebot', _browser_version: '2.1', _device_type: 'bot' });
    for (const text of ['Twitterbot/1.0', 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)'])
      expect(fields(text), text).to.include({ _device_type: 'bot' });
    for (const text of [
      'curl/8.5.0',
      'node',
      'python-requests/2.32',
      'Go-http-client/2.0',
      'windlass-client/1.0',
      'okhttp/4.12',
      'axios/1.7',
      'Shop/2.3 (iOS 18)',
      'Firefox',
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/129.0.0.0 Safari/537.36',
    ])
      expect(fields(text), text).not.to.have.property('_device_type', 'bot');
  });

  it('knows the HTTP libraries of apps and does not take them for browsers', () => {
    expect(fields('Shop/12 CFNetwork/1406.0.4 Darwin/22.4.0')).to.deep.equal({
      _device_type: 'mobile',
      _platform: 'ios',
    });
    expect(fields('Dalvik/2.1.0 (Linux; U; Android 13; Pixel 6 Build/TQ3A)')).to.include({
      _platform: 'android',
      _os: 'Android',
      _os_version: '13',
    });
  });

  it('keeps the text, cut to 1,024 units, and nothing of an empty one', () => {
    expect(Object.fromEntries(userAgentFields(` ${desktop} `))).to.include({ _ua: desktop });
    expect(Object.fromEntries(userAgentFields('x'.repeat(5000)))['_ua']).to.equal('x'.repeat(1024));
    expect(userAgentFields('')).to.deep.equal([]);
    expect(userAgentFields('  ')).to.deep.equal([]);
  });

  it('answers the same text from its cache', () => {
    expect(userAgentFields(desktop)).to.equal(userAgentFields(desktop));
  });
});
