import { expect } from 'chai';
import { HeldProperties, type ProfileProperties } from '../../../../lib/shards/ingest/enrich/profile.ts';
import { MAX_PROFILE_BYTES, MAX_PROFILE_PROPERTIES } from '../../../../lib/shards/ingest/normalise/limits.ts';
import { eventContext } from '../../../../lib/shards/ingest/normalise/context.ts';
import { normaliseIdentify } from '../../../../lib/shards/ingest/normalise/identify.ts';

const CONTEXT = eventContext(
  { receivedAt: 5, keyKind: 'trusted', ip: null, userAgent: null, place: null },
  { id: 'prj_1', retentionDays: null, ipPolicy: 'full' },
);

function apply(
  properties: Record<string, unknown>,
  body: object,
): { properties: ProfileProperties; bytes: number; ignored: readonly string[] } {
  const change = normaliseIdentify({ user_id: 'u', ...body }, CONTEXT);
  if ('error' in change) throw new Error(change.error);
  const held = new HeldProperties(properties);
  const ignored = held.apply(change);
  return { properties: held.toJSON(), bytes: held.bytes, ignored };
}
const profileBytes = (properties: object): number => new HeldProperties({ ...properties }).bytes;
const ops = (properties: Record<string, unknown>, operations: object): Record<string, unknown> =>
  apply(properties, { user_property_ops: operations }).properties;

describe('a change of a profile', () => {
  it('sets, sets once, adds and removes in this order', () => {
    const body = {
      user_properties: { a: 1, b: 1 },
      user_property_ops: {
        $unset: ['gone'],
        $add: { a: 5, new: 2 },
        $set_once: { a: 9, c: 3, gone: 1 },
        $set: { a: 2 },
      },
    };
    expect(apply({ gone: 0, kept: true }, body)).to.deep.equal({
      properties: { kept: true, a: 7, b: 1, c: 3, new: 2 },
      bytes: 'kepttruea7b1c3new2'.length,
      ignored: [],
    });
  });

  it('counts a missing property as 0 and takes numbers that are spelt', () => {
    expect(ops({ n: '4', nothing: null }, { $add: { n: '1.5', nothing: 1, new: -2 } })).to.deep.equal({
      n: 5.5,
      nothing: 1,
      new: -2,
    });
  });

  it('leaves and reports what is no number', () => {
    const result = apply(
      { plan: 'pro', big: 1e308, list: [1] },
      { user_property_ops: { $add: { plan: 1, n: 'x', big: 1e308, list: 1 } } },
    );
    expect(JSON.stringify(result.properties)).to.equal('{"plan":"pro","big":1e+308,"list":[1]}');
    expect(result.ignored).to.deep.equal(['n', 'plan', 'big', 'list']);
  });

  it('sets once only what has no value', () => {
    expect(ops({ a: 0, b: '', c: null }, { $set_once: { a: 1, b: 1, c: 1, d: 1 } })).to.deep.equal({
      a: 0,
      b: '',
      c: 1,
      d: 1,
    });
  });

  it('does not change what it was given', () => {
    const before = { a: 1 };
    ops(before, { $set: { a: 2 }, $unset: ['a'] });
    expect(before).to.deep.equal({ a: 1 });
  });

  it('trims email and lets email_domain follow it', () => {
    expect(ops({}, { $set: { email: '  Jane@x@Example.COM ' } })).to.deep.equal({
      email: 'Jane@x@Example.COM',
      email_domain: 'example.com',
    });
    expect(ops({}, { $set_once: { email: ' a@b.c' } })).to.deep.equal({ email: 'a@b.c', email_domain: 'b.c' });
    const known = { email: 'a@b.c', email_domain: 'b.c' };
    expect(ops(known, { $set: { email: 'nobody' } })).to.deep.equal({ email: 'nobody' });
    expect(ops(known, { $unset: ['email'] })).to.deep.equal({});
    expect(ops(known, { $set: { email_domain: 'other' } })).to.deep.equal(known);
    expect(ops({}, { $set: { email_domain: 'b.c' } })).to.deep.equal({ email_domain: 'b.c' });
  });

  it('takes __proto__ for an ordinary property', () => {
    const properties = ops(
      JSON.parse('{"__proto__":1}'),
      JSON.parse('{"$add":{"__proto__":2},"$set":{"constructor":"c"}}'),
    );
    expect(JSON.stringify(properties)).to.equal('{"__proto__":3,"constructor":"c"}');
  });

  it('takes no more properties than a profile holds', () => {
    const full = Object.fromEntries(Array.from({ length: MAX_PROFILE_PROPERTIES }, (_, i) => [`k${i}`, i]));
    const { properties, ignored } = apply(full, { user_property_ops: { $set: { k1: 'x', more: 1 } } });
    expect(ignored).to.deep.equal(['more']);
    expect(properties['k1']).to.equal('x');
    expect(properties).to.not.have.property('more');
  });

  it('takes no more bytes than a profile holds', () => {
    const size = 8_000;
    const most = Math.floor(MAX_PROFILE_BYTES / (size + 3));
    const texts = Object.fromEntries(Array.from({ length: most + 2 }, (_, i) => [`${100 + i}`, 'x'.repeat(size)]));
    const { properties, ignored, bytes } = apply({}, { user_properties: texts });
    expect(ignored).to.deep.equal([`${100 + most}`, `${101 + most}`]);
    expect(bytes).to.equal(profileBytes(properties)).and.to.be.at.most(MAX_PROFILE_BYTES);

    const more = apply(properties, {
      user_property_ops: { $set: { small: 1 }, $add: { n: 1 }, $set_once: { list: [1] } },
    });
    expect(more.ignored).to.deep.equal([]);
    expect(more.bytes).to.equal(profileBytes(more.properties));
    const wider = '€'.repeat(size);
    expect(apply(properties, { user_properties: { 100: wider } }).ignored).to.deep.equal(['100']);
    expect(
      apply(properties, { user_properties: { lists: Array.from({ length: 4_000 }, () => ({})) } }).ignored,
    ).to.deep.equal(['lists']);
  });

  it('lets a profile that is larger shrink, not grow', () => {
    const large = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, 'x'.repeat(8_000)]));
    const { properties, ignored, bytes } = apply(large, {
      user_property_ops: { $set: { k0: 'shorter', more: 1, k1: 'y'.repeat(8_000) }, $unset: ['k2'] },
    });
    expect(ignored).to.deep.equal(['more']);
    expect(properties['k0']).to.equal('shorter');
    expect(properties['k1']).to.equal('y'.repeat(8_000));
    expect(properties).to.not.have.any.keys('more', 'k2');
    expect(bytes).to.equal(profileBytes(properties));
  });

  it('leaves out a domain of an email for which there is no room', () => {
    const email = `a@${'b'.repeat(8_000)}`;
    const full = {
      email: 'a@b.c',
      email_domain: 'b.c',
      ...Object.fromEntries(Array.from({ length: 31 }, (_, i) => [`k${i}`, 'x'.repeat(8_000)])),
    };
    const { properties, bytes } = apply(full, { user_properties: { email } });
    expect(properties).to.include({ email }).and.to.not.have.property('email_domain');
    expect(bytes).to.equal(profileBytes(properties)).and.to.be.at.most(MAX_PROFILE_BYTES);
  });
});
