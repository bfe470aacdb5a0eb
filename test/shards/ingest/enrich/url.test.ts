import { expect } from 'chai';
import { referrerFields, urlFields, urlParts, cleanPath } from '../../../../lib/shards/ingest/enrich/url.ts';

describe('cleanPath', () => {
  const ids = [
    '0', '12345', '550e8400-e29b-41d4-a716-446655440000', '550E8400-E29B-41D4-A716-446655440000', 'deadbeefdeadbeef',
    'DEADBEEFdeadbeefdeadbeef', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '01arz3ndektsv4rrffq69g5fav', 'jane@example.com',
    'jane%40example.com', 'jane@example.com%f', 'jane@example.com%ff', 'j%C3%A4ne%40example.com', 'a%2fb%40example%2Ecom', 'abcde123', '123abcde', 'a1b2c3d4', 'ABCDE12F3',
  ]; // prettier-ignore
  for (const id of ids) {
    it(`replaces ${id}`, () => {
      expect(cleanPath(`/users/${id}/edit`)).to.equal('/users/{id}/edit');
    });
  }

  const words = [
    'users', '', 'page-1807', 'deadbeefdeadbee', 'abcdef12', 'abcdefgh', 'abcd123', 'v2', 'q1-2026', '2026-03-08', '%zz', 'user@host', '@a.example', 'a@.example', 'a@example.', 'a@b@c.example', 'a@b%40c.example', 'jane@example.com%20', 'jane%40example.com%',
    'jane%40',
    '81ARZ-3NDEK', 'abc_1234', 'a.1234567', '550e8400-e29b-41d4-a716-44665544000', 'naïve123', '{id}',
  ]; // prettier-ignore
  for (const word of words) {
    it(`leaves ${word === '' ? 'empty segments' : word}`, () => {
      expect(cleanPath(`/docs/${word}/edit`)).to.equal(`/docs/${word}/edit`);
    });
  }

  it('leaves slashes where they are', () => {
    for (const path of ['/', '', '//', '/a/', 'a/b']) expect(cleanPath(path)).to.equal(path);
    expect(cleanPath('/1/22/')).to.equal('/{id}/{id}/');
  });
});

describe('urlFields of hostile texts', () => {
  it('take about as long as those of others of the same length', () => {
    const time = (segment: string): number => {
      const urls = Array.from(
        { length: 40 },
        (_, i) => `https://a.example/${i}/${segment.repeat(8_000 / segment.length)}`,
      );
      const begun = process.cpuUsage();
      for (const url of urls) urlFields(url);
      return process.cpuUsage(begun).user;
    };
    time('abcd/');
    const plain = time('abcd/');
    for (const segment of ['%/', '%40%/', '@.%/']) expect(time(segment), segment).to.be.below(plain * 10 + 40_000);
  });
});

describe('urlParts', () => {
  it('gives the parts that a URL parser gives', () => {
    expect(urlParts('https://User:pw@Shop.EXAMPLE:8443/Users/42/../43/a b?x=1#y')).to.deep.equal({
      hostname: 'shop.example',
      path: '/Users/43/a%20b',
      pathClean: '/Users/{id}/a%20b',
    });
    expect(urlParts('http://müller.example')).to.deep.equal({
      hostname: 'xn--mller-kva.example',
      path: '/',
      pathClean: '/',
    });
    expect(urlParts('app://screen/home')).to.deep.equal({ hostname: 'screen', path: '/home', pathClean: '/home' });
  });

  it('is null for hosts longer than any, whatever stands before them, and for no other long URL', () => {
    const long = 'a\u0301\u0323'.repeat(400);
    for (const start of ['http://', 'https:', 'HTTP:\\\\', ' ht\ttp:/\n/', 'ws:////', 'ftp://a:b@', 'file:///'])
      expect(urlParts(`${start}${long}/p`), start).to.equal(null);
    for (const url of [
      `http://a/${long}`,
      `http://a?${long}`,
      `http:\\\\a\\${long}`,
      `http://a#${long}`,
      `app://a/${long}`,
    ])
      expect(urlParts(url)?.hostname, url.slice(0, 12)).to.equal('a');
    expect(urlParts(`http://${'a'.repeat(1_000)}/p`)?.path).to.equal('/p');
  });

  it('is null for what is no absolute URL', () => {
    for (const text of ['', '/relative', 'example.com/a', 'http://', 'a b'])
      expect(urlParts(text), text).to.equal(null);
  });
});

describe('urlFields', () => {
  it('tells host and path', () => {
    expect(urlFields('https://a.example/users/7')).to.deep.equal([
      ['_hostname', 'a.example'],
      ['_path', '/users/7'],
      ['_path_clean', '/users/{id}'],
    ]);
    expect(urlFields('/relative')).to.deep.equal([]);
  });

  it('leaves out what is empty', () => {
    expect(urlFields('about:blank')).to.deep.equal([
      ['_path', 'blank'],
      ['_path_clean', 'blank'],
    ]);
  });
});

describe('referrerFields', () => {
  it('tells the domain', () => {
    expect(referrerFields('https://www.Google.com/search?q=a')).to.deep.equal([['_referrer_domain', 'www.google.com']]);
    expect(referrerFields('$direct')).to.deep.equal([]);
  });
});
