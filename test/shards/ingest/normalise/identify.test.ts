import { expect } from 'chai';
import { eventContext } from '../../../../lib/shards/ingest/normalise/context.ts';
import { Remarks } from '../../../../lib/shards/ingest/normalise/remarks.ts';
import { normaliseIdentify as normalise, spelledNumber } from '../../../../lib/shards/ingest/normalise/identify.ts';

const RECEIVED_AT = Date.parse('2026-03-08T10:00:00Z');

/** With what was counted. */
function normaliseIdentify(value: unknown, rules?: number) {
  const request = { receivedAt: RECEIVED_AT, keyKind: 'trusted', ip: null, userAgent: null, place: null } as const;
  const settings = { id: 'prj_1', retentionDays: null, ipPolicy: 'full' } as const;
  const remarks = new Remarks();
  const context = eventContext({ ...request, ...(rules === undefined ? {} : { rules }) }, settings);
  const identify = normalise(value, context, remarks);
  const { valuesTrimmed, idsIgnored } = remarks;
  return 'error' in identify ? identify : { ...identify, valuesTrimmed, idsIgnored };
}

describe('normaliseIdentify', () => {
  it('takes ids, properties and operations', () => {
    const value = {
      user_id: 7,
      device_id: 'd1',
      user_properties: { plan: 'free' },
      user_property_ops: {
        $set: { plan: 'pro' },
        $set_once: { first: 1 },
        $add: { n: 2, m: '1.5', bad: 'x', worse: true },
        $unset: ['old', 5],
      },
    };
    expect(normaliseIdentify(value)).to.deep.equal({
      userId: '7',
      deviceId: 'd1',
      at: RECEIVED_AT,
      set: [['plan', { type: 'string', text: 'free' }], ['plan', { type: 'string', text: 'pro' }]],
      setOnce: [['first', 1]],
      add: [['n', 2], ['m', 1.5]],
      unset: ['old'],
      ignored: ['bad', 'worse'],
      valuesTrimmed: 1,
      idsIgnored: 0,
    }); // prettier-ignore
  });

  it('keeps the digits of whole numbers beyond 2^53, and adds them as numbers', () => {
    const ops = { $set: { order: 9007199254740993n }, $add: { n: 9007199254740993n } };
    const change = normaliseIdentify({ user_id: 9007199254740995n, user_property_ops: ops });
    expect(change).to.deep.include({ userId: '9007199254740995', set: [['order', { type: 'string', text: '9007199254740993' }]], add: [['n', 2 ** 53]] }); // prettier-ignore
  });

  it('takes as many properties as a profile may have, and as many names to remove', () => {
    const many = Object.fromEntries(Array.from({ length: 2_100 }, (_, i) => [`k${i}`, 1]));
    const ops = { $set: many, $set_once: many, $add: many, $unset: Object.keys(many) };
    const identify = normaliseIdentify({ user_id: 'u', user_property_ops: ops });
    if ('error' in identify) throw new Error(identify.error);
    const { set, setOnce, add, unset, valuesTrimmed } = identify;
    expect([set, setOnce, add, unset].map(({ length }) => length)).to.deep.equal([2_000, 2_000, 2_000, 2_000]);
    expect(valuesTrimmed).to.equal(400);
  });

  it('needs a user_id', () => {
    for (const user_id of [undefined, null, '']) {
      expect(normaliseIdentify({ user_id })).to.deep.equal({ error: 'user_id is missing' });
    }
    for (const user_id of [' ', '\t\n\u3000']) {
      expect(normaliseIdentify({ user_id })).to.deep.equal({ error: 'user_id is blank' });
    }
    for (const user_id of ['null', 'NaN', '[object Object]']) {
      const error = `user_id is "${user_id}", which stands for no id`;
      expect(normaliseIdentify({ user_id })).to.deep.equal({ error });
    }
    expect(normaliseIdentify({ user_id: ' ' }, 1)).to.include({ userId: ' ' }); // because it was acknowledged long ago
    expect(normaliseIdentify({ user_id: {} })).to.deep.equal({ error: 'user_id must be a string or a number' });
    expect(normaliseIdentify({ user_id: 'x'.repeat(513) })).to.deep.equal({
      error: 'user_id is longer than 512 characters',
    });
    expect(normaliseIdentify(null)).to.deep.equal({ error: 'an identify must be an object' });
    expect(normaliseIdentify([])).to.deep.equal({ error: 'an identify must be an object' });
  });

  it('is dated by its time, else by its arrival; what an earlier release acknowledged has no date and keeps its device', () => {
    const sent = { user_id: 'u', device_id: 'guest', time: '2025-01-01' };
    expect(normaliseIdentify(sent)).to.include({ at: Date.parse('2025-01-01'), deviceId: null, idsIgnored: 1 });
    expect(normaliseIdentify({ user_id: 'u' })).to.include({ at: RECEIVED_AT });
    expect(normaliseIdentify(sent, 2)).to.include({ at: null, deviceId: 'guest', idsIgnored: 0 });
  });

  it('takes a device that stands for nothing as not given', () => {
    expect(normaliseIdentify({ user_id: 'u', device_id: 'undefined' })).to.include({ deviceId: null, idsIgnored: 1 });
    expect(normaliseIdentify({ user_id: 'u', device_id: [] })).to.deep.equal({
      error: 'device_id must be a string or a number',
    });
  });

  it('drops what has a wrong type and counts it', () => {
    const value = { user_id: 'u', user_properties: 'x', user_property_ops: [1] };
    expect(normaliseIdentify(value)).to.deep.include({ set: [], setOnce: [], add: [], unset: [], valuesTrimmed: 2 });
    const inner = { user_id: 'u', user_property_ops: { $set: 1, $set_once: 'a', $add: [], $unset: null } };
    expect(normaliseIdentify(inner)).to.deep.include({ set: [], setOnce: [], add: [], unset: [], valuesTrimmed: 3 });
  });
});

describe('numberOf', () => {
  it('reads numbers and strings that spell them', () => {
    for (const [text, number] of [['42', 42], ['-1.5', -1.5], ['+.5', 0.5], ['1.', 1], ['1e3', 1000]] as const) {
      expect(spelledNumber(text)).to.equal(number);
    } // prettier-ignore
    for (const value of ['', ' 1', '1,000', '0x10', 'Infinity', '1e999', NaN, true, null, {}])
      expect(spelledNumber(value)).to.equal(null);
  });
});
