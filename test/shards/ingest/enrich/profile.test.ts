import { expect } from 'chai';
import { applyChanges } from '../../../../lib/shards/ingest/enrich/profile.ts';
import { MAX_PROFILE_PROPERTIES } from '../../../../lib/shards/ingest/normalise/limits.ts';
import { normaliseIdentify } from '../../../../lib/shards/ingest/normalise/identify.ts';

function apply(properties: Record<string, unknown>, body: object): ReturnType<typeof applyChanges> {
  const change = normaliseIdentify({ user_id: 'u', ...body }, { blankIsText: false });
  if ('error' in change) throw new Error(change.error);
  return applyChanges(properties, change);
}
const ops = (properties: Record<string, unknown>, operations: object): Record<string, unknown> =>
  apply(properties, { user_property_ops: operations }).properties;

describe('applyChanges', () => {
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
    expect(result.properties).to.deep.equal({ plan: 'pro', big: 1e308, list: [1] });
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
});
