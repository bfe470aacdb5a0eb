import { expect } from 'chai';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { parseIp, storedIp } from '../../../../lib/shards/ingest/enrich/ip.ts';

describe('storedIp', () => {
  it('keeps the whole address under full', () => {
    expect(storedIp('203.0.113.77', 'full')).to.equal('203.0.113.77');
    expect(storedIp('2001:DB8:0:0:1:0:0:1', 'full')).to.equal('2001:db8::1:0:0:1');
  });

  it('zeroes the last octet or the last 80 bits under anonymized', () => {
    expect(storedIp('203.0.113.77', 'anonymized')).to.equal('203.0.113.0');
    expect(storedIp('2001:db8:85a3:8d3:1319:8a2e:370:7348', 'anonymized')).to.equal('2001:db8:85a3::');
    expect(storedIp('::1', 'anonymized')).to.equal('::');
  });

  it('takes an IPv4 address written as IPv6 for what it is', () => {
    expect(storedIp('::ffff:203.0.113.77', 'anonymized')).to.equal('203.0.113.0');
    expect(storedIp('::ffff:cb00:714d', 'full')).to.equal('203.0.113.77');
  });

  it('reads decimals as the library does', () => {
    const part = fc.oneof(
      fc.integer({ min: 0, max: 300 }).map(String),
      fc.constantFrom('', '00', '01', ' 1', '+1', '1e1', '256'),
    );
    const texts = fc.array(part, { minLength: 3, maxLength: 5 }).map((parts) => parts.join('.'));
    fc.assert(
      fc.property(texts, (text) => {
        const valid = ipaddr.IPv4.isValidFourPartDecimal(text.trim());
        const octets = valid ? ipaddr.IPv4.parse(text.trim()).octets : null;
        expect(storedIp(text, 'full'), text).to.equal(octets && octets.join('.'));
        expect(storedIp(text, 'anonymized'), text).to.equal(octets && [...octets.slice(0, 3), 0].join('.'));
      }),
      { numRuns: 500 },
    );
  });

  it('keeps nothing under none', () => {
    expect(storedIp('203.0.113.77', 'none')).to.equal(null);
  });

  it('keeps nothing of what is no address', () => {
    for (const text of ['', 'unknown', '1.2.3', '1', '0x7f.1', '1.2.3.256', '1.2.3.4:80', 'g::1']) {
      expect(storedIp(text, 'full'), text).to.equal(null);
    }
  });
});

describe('parseIp', () => {
  it('drops blanks and zones', () => {
    expect(parseIp(' 10.0.0.1 ')).to.equal('10.0.0.1');
    expect(parseIp('fe80::1%eth0')).to.equal('fe80::1');
  });
});
