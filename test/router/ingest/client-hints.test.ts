import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.ts';

const AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const HEADERS = {
  'User-Agent': AGENT,
  'Sec-CH-UA': '"Chromium";v="142", "Brave";v="142", "Not_A Brand";v="99"',
  'Sec-CH-UA-Mobile': '?0',
  'Sec-CH-UA-Platform': '"Windows"',
};
const Q = 'a | count by _browser, _os, _os_version, _device_type';

describe('client hints of a request', () => {
  it('tell the browser and the system of its events, those in headers and those in the address', async () => {
    const test = await sharedService();
    await test.post('/track?platformVersion=15.0.0', { event_type: 'a', clientOriginated: true }, HEADERS);
    expect(await test.rows(Q)).to.deep.equal([
      { _browser: 'Brave', _os: 'Windows', _os_version: '11', _device_type: 'desktop', count: 1 },
    ]);
  });

  it('are read in headers that a page delegates, too', async () => {
    const test = await sharedService();
    const headers = { ...HEADERS, 'Sec-CH-UA-Platform-Version': '"10.0.0"', 'Sec-CH-UA-Model': '""' };
    await test.post('/track', { event_type: 'a', clientOriginated: true }, headers);
    expect(await test.rows(Q)).to.deep.equal([
      { _browser: 'Brave', _os: 'Windows', _os_version: '10', _device_type: 'desktop', count: 1 },
    ]);
  });

  it('say nothing of an agent that a server states, nor of a server', async () => {
    const test = await sharedService();
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
    await test.post('/track', { event_type: 'a', user_agent: firefox }, HEADERS);
    await test.post('/track', { event_type: 'b' }, HEADERS);
    expect(await test.rows(Q)).to.deep.equal([
      { _browser: 'Firefox', _os: 'Linux', _os_version: null, _device_type: 'desktop', count: 1 },
    ]);
    expect(await test.rows('b | count by _browser, _os')).to.deep.equal([{ _browser: null, _os: null, count: 1 }]);
  });

  it('of any length and content are taken without harm', async () => {
    const test = await sharedService();
    const long = '"'.repeat(3_000);
    const path = `/track?model=${'%F0%9F%98%80'.repeat(400)}&platformVersion=%00%0a&model=x`;
    await test.post(path, { event_type: 'a', clientOriginated: true }, { ...HEADERS, 'Sec-CH-UA': long });
    expect(await test.rows('a | count by _browser, _os')).to.deep.equal([
      { _browser: 'Chrome', _os: 'Windows', count: 1 },
    ]);
  });
});
