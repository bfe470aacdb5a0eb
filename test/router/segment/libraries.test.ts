/** The libraries of Segment and RudderStack themselves, sending here by a setting of their host. */
import { createRequire } from 'node:module';
import { Analytics } from '@segment/analytics-node';
import { expect } from 'chai';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { listenOnLoopback, type Listening } from '../../support/listening.ts';

interface Rudder {
  track(message: object): void;
  identify(message: object): void;
  flush(done?: (error?: Error) => void): Promise<unknown>;
}
const require = createRequire(import.meta.url);
const RudderAnalytics = require('@rudderstack/rudder-sdk-node') as new (key: string, options: object) => Rudder;

describe("Segment's library for servers", () => {
  let test: TestService;
  before(async () => {
    test = await sharedService();
  });

  const analytics = (host: string, options: object = {}): Analytics =>
    new Analytics({ writeKey: test.keys.secretKey, host, flushAt: 10, maxRetries: 4, ...options });

  it('sends every kind of call, which queries answer in the words of this language', async () => {
    const library = analytics(test.url);
    const context = {
      ip: '81.2.69.160',
      userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:147.0) Gecko/20100101 Firefox/147.0',
      page: { url: 'https://shop.example/cart?a=1', title: 'Cart', referrer: 'https://search.example/' },
      campaign: { name: 'spring', source: 'mail', medium: 'email', term: '', content: '' },
      timezone: 'Europe/Rome',
      locale: 'it-IT',
    };
    const timestamp = new Date(Date.now() - 3_600_000);
    library.identify({ userId: 'ann', anonymousId: 'd1', traits: { email: 'Ann@Example.com', plan: 'pro' } });
    library.track({ userId: 'ann', event: 'bought', properties: { price: 12.5 }, context, timestamp });
    library.page({ anonymousId: 'd1', name: 'Cart', category: 'shop', properties: { url: 'https://shop.example/' } });
    library.screen({ anonymousId: 'd1', name: 'Home' });
    library.group({ userId: 'ann', groupId: 'acme', traits: { name: 'Acme', seats: 7 } });
    library.alias({ userId: 'ann', previousId: 'd0' });
    library.track({ anonymousId: 'd0', event: 'came' });
    await library.closeAndFlush();
    const fields =
      '_browser, _os, _url, _title, _referrer_domain, _timezone, time, event_properties.price, event_properties.utm_campaign, event_properties.utm_source, event_properties.language';
    expect(await test.rows(`bought | list ${fields}`)).to.deep.equal([
      {
        ...{ _browser: 'Firefox', _os: 'Windows', _url: 'https://shop.example/cart?a=1', _title: 'Cart' },
        ...{ _referrer_domain: 'search.example', _timezone: 'Europe/Rome', time: timestamp.toISOString() },
        ...{ 'event_properties.price': 12.5, 'event_properties.utm_campaign': 'spring' },
        ...{ 'event_properties.utm_source': 'mail', 'event_properties.language': 'it-IT' },
      },
    ]);
    const who =
      '* | list event_type, distinct_id, user.plan, user.email_domain, user.company_id, user.company.name | sort event_type';
    const ann = {
      'user.plan': 'pro',
      'user.email_domain': 'example.com',
      'user.company_id': 'acme',
      'user.company.name': 'Acme',
    };
    expect(await test.rows(who)).to.deep.equal(
      ['bought', 'came', 'page_view', 'screen_view'].map((event_type) => ({ event_type, distinct_id: 'ann', ...ann })),
    );
    const views = await test.rows(
      'page_view | list event_properties.name, event_properties.category, _hostname, _ingest_origin',
    );
    expect(views).to.deep.equal([
      {
        'event_properties.name': 'Cart',
        'event_properties.category': 'shop',
        _hostname: 'shop.example',
        _ingest_origin: 'server',
      },
    ]);
  });

  it('sends again what was not answered, and is counted once', async () => {
    let cut = 2;
    const gate: Listening = await listenOnLoopback(() => async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const headers = Object.fromEntries(
        ['authorization', 'content-type'].map((name) => [name, String(request.headers[name])]),
      );
      const answer = await globalThis.fetch(test.url + String(request.url), {
        method: 'POST',
        headers,
        body: Buffer.concat(chunks),
      });
      if (cut-- > 0) return void response.destroy(); // stored, but the answer is lost
      response.writeHead(answer.status).end(await answer.text());
    });
    const library = analytics(gate.url, { flushAt: 25 });
    for (let i = 0; i < 50; i++) library.track({ userId: `u${i}`, event: 'once' });
    await library.closeAndFlush();
    await gate.stop();
    expect(cut).to.be.lessThan(0);
    expect(await test.rows('once | count')).to.deep.equal([{ count: 50 }]);
  });

  it('is told of a key that is none', async () => {
    const refused: unknown[] = [];
    const library = new Analytics({ writeKey: 'sk_none', host: test.url, maxRetries: 0 });
    library.on('error', (error) => refused.push(error));
    library.track({ userId: 'ann', event: 'refused' });
    await library.closeAndFlush();
    expect(refused).to.have.length(1);
    expect(await test.rows('* | where event_type = "refused" | count')).to.deep.equal([{ count: 0 }]);
  });
});

describe("RudderStack's library for servers", () => {
  it('sends its batches with gzip', async () => {
    const test = await sharedService();
    const library = new RudderAnalytics(test.keys.secretKey, {
      dataPlaneUrl: test.url,
      gzip: true,
      flushAt: 2,
    });
    library.identify({ userId: 'bob', traits: { plan: 'free' } });
    library.track({ userId: 'bob', event: 'rudder', properties: { n: 1 } });
    await library.flush();
    for (;;) {
      const rows = await test.rows('rudder | list distinct_id, user.plan, event_properties.n');
      if (rows.length === 0) continue;
      expect(rows).to.deep.equal([{ distinct_id: 'bob', 'user.plan': 'free', 'event_properties.n': 1 }]);
      break;
    }
  });
});
