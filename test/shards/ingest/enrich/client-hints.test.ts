import { expect } from 'chai';
import { userAgentFields } from '../../../../lib/shards/ingest/enrich/user-agent.ts';
import type { ClientHints } from '../../../../lib/shards/request.ts';

const WINDOWS =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const ANDROID =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const BARE = '"Chromium";v="142", "Google Chrome";v="142", "Not_A Brand";v="99"';

const withHints = (userAgent: string, hints: ClientHints): Record<string, string> => {
  const { _ua: _, ...others } = Object.fromEntries(userAgentFields(userAgent, hints));
  return others;
};

describe('userAgentFields with client hints', () => {
  for (const [platformVersion, version] of [
    ['19.0.0', '11'],
    ['13.0.0', '11'],
    ['10.0.0', '10'],
    ['1.0.0', '10'],
    ['0.3.0', '8.1'],
    ['0.2.0', '8'],
    ['0.1.0', '7'],
    ['', '10'],
  ] as const) {
    it(`know Windows ${version} by "${platformVersion}"`, () => {
      expect(withHints(WINDOWS, { platform: 'Windows', platformVersion })).to.include({
        _os: 'Windows',
        _os_version: version,
      });
    });
  }

  it('know the system version that agents of macOS and Android have frozen', () => {
    expect(withHints(MAC, { platform: 'macOS', platformVersion: '15.6.1' })).to.include({
      _os: 'macOS',
      _os_version: '15.6.1',
    });
    expect(withHints(ANDROID, { platform: 'Android', platformVersion: '16.0.0' })).to.include({
      _os: 'Android',
      _os_version: '16',
    });
    expect(withHints(LINUX, { platform: 'Chrome OS', platformVersion: '16033.58.0' })).to.include({
      _os: 'Chrome OS',
      _os_version: '16033.58',
    });
  });

  it('know the version of the system that the agent names, where the hints do not name one', () => {
    expect(withHints(WINDOWS, { platformVersion: '15.0.0' })).to.include({ _os: 'Windows', _os_version: '11' });
    expect(withHints(LINUX, { platformVersion: '' }))
      .to.include({ _os: 'Linux' })
      .and.not.have.property('_os_version');
  });

  it('keep the version of the agent where hints name the system alone', () => {
    expect(withHints(WINDOWS, { brands: BARE, mobile: '?0', platform: 'Windows' })).to.deep.equal({
      _browser: 'Chrome',
      _browser_version: '142.0.0.0',
      _os: 'Windows',
      _os_version: '10',
      _device_type: 'desktop',
      _platform: 'web',
    });
  });

  for (const [brand, name] of [
    ['Brave', 'Brave'],
    ['Opera', 'Opera'],
    ['Microsoft Edge', 'Microsoft Edge'],
    ['Vivaldi', 'Vivaldi'],
    ['DuckDuckGo', 'DuckDuckGo'],
    ['Samsung Internet', 'Samsung Internet for Android'],
  ] as const) {
    it(`know ${name} by its brand`, () => {
      const brands = `"Chromium";v="142", "${brand}";v="120", "Not_A Brand";v="99"`;
      expect(withHints(WINDOWS, { brands })).to.include({ _browser: name, _browser_version: '120' });
    });
  }

  it('leave the name that the agent says, and that of Chrome, whose brand says no more', () => {
    const edge = `${WINDOWS} Edg/142.0.3595.53`;
    expect(withHints(edge, { brands: '"Microsoft Edge";v="142"' })).to.include({
      _browser: 'Microsoft Edge',
      _browser_version: '142.0.3595.53',
    });
    expect(withHints(WINDOWS, { brands: BARE })).to.include({ _browser: 'Chrome', _browser_version: '142.0.0.0' });
    expect(withHints(WINDOWS, { brands: 'no list', platform: 'Unknown', mobile: 'maybe' })).to.include({
      ...{ _browser: 'Chrome', _os: 'Windows', _device_type: 'desktop' },
    });
  });

  it('know phones, tablets and televisions by Sec-CH-UA-Mobile and the model', () => {
    expect(withHints(ANDROID, { mobile: '?1' })).to.include({ _device_type: 'mobile' });
    expect(withHints(ANDROID, { mobile: '?0' })).to.include({ _device_type: 'tablet' });
    expect(withHints(ANDROID, { mobile: '?0', model: 'BRAVIA 4K UR2' })).to.include({ _device_type: 'tv' });
    expect(withHints(ANDROID, { mobile: '?1', model: 'SM-X210' })).to.include({ _device_type: 'tablet' });
  });

  it('of systems, brands and versions that there are not say nothing', () => {
    const odd = { platform: 'a'.repeat(256), platformVersion: '15; DROP', brands: '"Brave";v="<b>", "b";v="1"' };
    expect(withHints(WINDOWS, odd)).to.include({ _browser: 'Brave', _os: 'Windows', _os_version: '10' });
    expect(withHints(WINDOWS, odd)).to.not.have.property('_browser_version');
  });

  it('make nobody a person who says to be a bot', () => {
    const bot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
    expect(withHints(bot, { brands: BARE, mobile: '?1', platform: 'Android' })).to.include({ _device_type: 'bot' });
  });
});
