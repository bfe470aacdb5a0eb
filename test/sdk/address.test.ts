import { expect } from 'chai';
import { campaignIn, cleanUrl } from '../../sdk/browser/address.ts';

const SITE = 'https://shop.example';

describe('cleanUrl', () => {
  const redacted = (query: string): boolean => cleanUrl(`${SITE}/?${query}`)?.endsWith('=redacted') ?? false;

  for (const name of [
    ...[
      'token',
      'access_token',
      'id-token',
      'authToken',
      'accesstoken',
      'token_hash',
      'client_secret',
      'password',
      'passwd',
      'pwd',
    ],
    ...[
      'auth',
      'oauth',
      'session',
      'x-session',
      'session_id',
      'sessionId',
      'jsessionid',
      'X-Amz-Signature',
      'jwt',
      'otp',
      'api_key',
    ],
    ...['apikey', 'key', 'code', 'sig', 'sid', 'state', 'CODE'],
  ]) {
    it(`leaves out what ${name} is`, () => expect(redacted(`${name}=a`)).to.equal(true));
  }

  for (const name of [
    ...[
      'author',
      'authority',
      'session_type',
      'sessions',
      'obsession',
      'hotpink',
      'footprint',
      'promo_code',
      'sort_key',
    ],
    ...['secretary', 'keyword', 'monkey', 'statement', 'q', 'page'],
  ]) {
    it(`keeps what ${name} is`, () => expect(redacted(`${name}=a`)).to.equal(false));
  }

  for (const value of [
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
    '550e8400-e29b-41d4-a716-446655440000',
    'd41d8cd98f00b204e9800998ecf8427e',
    'Cj0KCQjw1234567890abcdefghijklmnopq',
    'r3_7Hk2qZs-9dLw8Xy41nMvT0pQe5uBaGcJf6iRoK_U',
  ]) {
    it(`leaves out ${value}`, () => expect(redacted(`x=${value}`)).to.equal(true));
  }

  for (const value of [
    'the-10-best-running-shoes-for-2026-tested',
    'top_100_albums_of_the_20th_century_part_2',
    'iphone-15-pro-max-256gb-vs-galaxy-s24-ultra',
    '2026-11-28-black-friday-deals-up-to-70-percent',
    '12345678901234567890123456789012',
    'abcdefghijklmnopqrstuvwxyzabcdefgh',
  ]) {
    it(`keeps ${value}`, () => expect(redacted(`x=${value}`)).to.equal(false));
  }

  it('keeps what advertisers add, whatever it is', () => {
    const url = `${SITE}/?gclid=Cj0KCQjw1234567890abcdefghijklmnopq&UTM_Content=d41d8cd98f00b204e9800998ecf8427e`;
    expect(cleanUrl(url)).to.equal(url);
  });

  it('takes about as long for hostile values as for others of their length', () => {
    const begun = process.cpuUsage();
    for (const part of ['a1-', 'a-', '1_', 'aaaaaaaa1', '-']) cleanUrl(`${SITE}/?x=${part.repeat(20_000)}!`);
    expect(process.cpuUsage(begun).user).to.be.below(20_000_000);
  });

  it('keeps fragments that are routes where they are wanted, without their query, and no others', () => {
    expect(cleanUrl(`${SITE}/app?a=1#/reset?token=abc`, true)).to.equal(`${SITE}/app?a=1#/reset`);
    expect(cleanUrl(`${SITE}/#!/orders/7`, true)).to.equal(`${SITE}/#!/orders/7`);
    for (const fragment of ['#top', '#access_token=abc', '#'])
      expect(cleanUrl(`${SITE}/${fragment}`, true)).to.equal(`${SITE}/`);
    expect(cleanUrl(`${SITE}/#/orders`)).to.equal(`${SITE}/`);
  });
});

describe('campaignIn', () => {
  it('takes the first parameter of each name, in any case, values as sent', () => {
    const query = '?utm_source=a&utm_source=b&UTM_MEDIUM=CPC&utm_medium=mail&Gclid=X&utm_other=1';
    expect(campaignIn(query)).to.deep.equal({ utm_source: 'a', utm_medium: 'CPC', gclid: 'X' });
    expect(campaignIn('?utm_source=&utm_source=b')).to.deep.equal({ utm_source: '' });
    expect(campaignIn('')).to.deep.equal({});
  });
});
