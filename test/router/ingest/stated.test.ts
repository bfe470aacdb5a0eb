import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.ts';
import { makeTenant } from '../../support/tenants.ts';
import { jsonOf, type TestService } from '../../support/service.ts';
import { STATED_COLUMNS, STATED_FIELDS } from '../../../lib/base/stated-fields.ts';

const AGENT =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1';

describe('what a server states of its client', () => {
  let test: TestService;
  before(async () => {
    test = await sharedService();
  });

  it('is stored by the names that queries use, and wins over what would be derived', async () => {
    const own = Object.fromEntries(STATED_COLUMNS.map((name) => [name, `stated ${name}`]));
    await test.post('/track', { event_type: 'stated', ...own, user_agent: AGENT, event_properties: { a: 1 } });
    const fields = STATED_COLUMNS.join(', ');
    expect(await test.rows(`stated | list ${fields}`)).to.deep.equal([own]);
    await test.post('/track', { event_type: 'stated in part', _ua: AGENT, _browser: 'Arc', _longitude: 2.35 });
    const rows = await test.rows('"stated in part" | list _browser, _os, _longitude, _country, _ua');
    expect(rows).to.deep.equal([{ _browser: 'Arc', _os: 'iOS', _longitude: '2.35', _country: null, _ua: AGENT }]);
  });

  it('is a property where queries read it from one, with what follows from it', async () => {
    const page = { _url: 'https://shop.example/cart/12345', _title: 'Cart', _referrer: 'https://search.example/q' };
    await test.post('/track', { event_type: 'stated page', ...page });
    const fields = '_url, _title, _referrer, _hostname, _path_clean, _referrer_domain, event_properties.title';
    expect(await test.rows(`"stated page" | list ${fields}`)).to.deep.equal([
      {
        ...page,
        _hostname: 'shop.example',
        _path_clean: '/cart/{id}',
        _referrer_domain: 'search.example',
        'event_properties.title': 'Cart',
      },
    ]);
    const both = {
      event_type: 'stated twice',
      _title: 'stated',
      event_properties: { title: 'sent', url: 'https://a.example/' },
    };
    const told = await jsonOf(await test.post('/track?report=true', both));
    const message = 'it is stored as event_properties.title, in place of what was sent there';
    expect(told).to.deep.include({ warnings: [{ index: 0, field: '_title', message, sent: 'stated' }] });
    expect(await test.rows('"stated twice" | list _title, _url')).to.deep.equal([
      { _title: 'stated', _url: 'https://a.example/' },
    ]);
  });

  it('is left out and told with a public key', async () => {
    const { publicKey, secretKey } = await makeTenant(test, 'Stating');
    const sent = Object.fromEntries(STATED_FIELDS.map((name) => [name, 'mine']));
    const told = await jsonOf(
      await test.post('/track?report=true', { event_type: 'stated by a client', ...sent }, { 'X-API-Key': publicKey }),
    );
    const { warnings } = told as { warnings: { field: string; message: string }[] };
    expect(warnings.map(({ field }) => field)).to.have.members([...STATED_FIELDS]);
    for (const { message } of warnings) expect(message).to.contain('only a server may state it');
    const asked = { q: '"stated by a client" | list _browser, _country, _title', format: 'json' };
    const [row] = (await (await test.post('/query', asked, { 'X-API-Key': secretKey })).json()) as object[];
    expect(Object.values(row ?? {})).to.not.include('mine');
  });

  it('must be a text or a number, and is cut where it is long', async () => {
    const odd = { event_type: 'stated oddly', _browser: { name: 'x' }, _os: 'o'.repeat(2_000), _city: '' };
    const told = await jsonOf(await test.post('/track?report=true', odd));
    const { warnings } = told as { warnings: { field: string; message: string }[] };
    expect(warnings.map(({ field, message }) => `${field}: ${message}`)).to.deep.equal([
      '_browser: must be a string; it was left out',
      '_os: the text was cut to 1024 characters',
    ]);
    expect(await test.rows('"stated oddly" | list _browser, _os, _city')).to.deep.equal([
      { _browser: null, _os: 'o'.repeat(1_024), _city: null },
    ]);
  });
});
