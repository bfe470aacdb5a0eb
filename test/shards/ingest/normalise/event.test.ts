import { expect } from 'chai';
import { NO_ROOT, eventContext } from '../../../../lib/shards/ingest/normalise/context.ts';
import { normaliseEvent, profileChangesOf } from '../../../../lib/shards/ingest/normalise/event.ts';
import { Remarks } from '../../../../lib/shards/ingest/normalise/remarks.ts';
import type { NormalEvent } from '../../../../lib/shards/event.ts';

const NOW = Date.parse('2026-03-08T10:00:00Z');

function normalise(value: unknown, keyKind: 'public' | 'trusted' = 'trusted'): ReturnType<typeof normaliseEvent> {
  remarks = new Remarks();
  const request = { receivedAt: NOW, keyKind, ip: '9.9.9.9', userAgent: 'x', place: null };
  return normaliseEvent(
    value,
    eventContext(request, { id: 'prj_1', retentionDays: 30, ipPolicy: 'full' }, NO_ROOT),
    remarks,
  );
}

/** What was said of the last event. */
let remarks = new Remarks();

function event(fields: object, keyKind?: 'public' | 'trusted'): NormalEvent {
  const result = normalise({ event_type: 'e', ...fields }, keyKind);
  if ('error' in result) throw new Error(`invalid: ${result.error}`);
  return result;
}

const errorOf = (fields: unknown): string | null => {
  const result = normalise(fields);
  return 'error' in result ? result.error : null;
};

describe('normaliseEvent', () => {
  it('takes an event with nothing but its type', () => {
    expect(normalise({ event_type: 'e' }, 'public')).to.deep.equal({
      type: 'e',
      userId: null,
      deviceId: null,
      sessionId: null,
      insertId: null,
      time: NOW,
      properties: [],
      userProperties: [],
      library: null,
      origin: 'client',
      ip: null,
      userAgent: null,
      importId: null,
      stated: [],
    });
  });

  it('says why an event is invalid', () => {
    for (const value of [null, 'e', 5, [], [{ event_type: 'e' }]])
      expect(errorOf(value)).to.equal('an event must be an object');
    for (const type of [undefined, null, '']) expect(errorOf({ event_type: type })).to.equal('event_type is missing');
    for (const type of [' ', '\n\t', '\u3000\u2028'])
      expect(errorOf({ event_type: type })).to.equal('event_type is blank');
    for (const type of [5, 2n ** 60n, true, {}])
      expect(errorOf({ event_type: type })).to.equal('event_type must be a string');
    expect(errorOf({ event_type: 'x'.repeat(257) })).to.equal('event_type is longer than 256 characters');
    for (const name of ['user_id', 'device_id', 'session_id', 'insert_id']) {
      for (const id of [true, {}, ['a']])
        expect(errorOf({ event_type: 'e', [name]: id })).to.equal(`${name} must be a string or a number`);
      expect(errorOf({ event_type: 'e', [name]: 'x'.repeat(513) })).to.equal(`${name} is longer than 512 characters`);
    }
  });

  it('counts the length of types and ids in characters', () => {
    expect(errorOf({ event_type: '😀'.repeat(256), user_id: '😀'.repeat(512) })).to.equal(null);
    expect(errorOf({ event_type: '😀'.repeat(257) })).to.not.equal(null);
  });

  it('makes numbers in ids their shortest decimal', () => {
    const { userId, deviceId, sessionId, insertId } = event({
      user_id: 42.0,
      device_id: 7,
      session_id: 0.1,
      insert_id: 1e21,
    });
    expect([userId, deviceId, sessionId, insertId]).to.deep.equal(['42', '7', '0.1', '1e+21']);
    expect([event({ user_id: -0 }).userId, remarks.idsIgnored]).to.deep.equal(['0', 0]);
  });

  it('keeps the digits of ids and properties beyond 2^53, and reads such times', () => {
    const { userId, sessionId, time, properties } = event({
      user_id: 1541815603606036480n,
      session_id: -12345678901234567891n,
      time: 1772964000000000000000n / 10n ** 9n, // digits alone do not make it another time
      event_properties: { order: 9007199254740993n },
    });
    expect([userId, sessionId]).to.deep.equal(['1541815603606036480', '-12345678901234567891']);
    expect(time).to.equal(event({ time: 1772964000000 }).time);
    expect(properties).to.deep.equal([['order', { type: 'string', text: '9007199254740993' }]]);
  });

  it('takes null, blanks and words for nothing as not given, and counts them', () => {
    for (const id of [
      null,
      '',
      ' ',
      '\t\r\n',
      '\u00a0\u2003\u3000\ufeff',
      'null',
      'undefined',
      'NaN',
      'none',
      '[object Object]',
      Infinity,
    ]) {
      const { userId, deviceId } = event({ user_id: id, device_id: id, session_id: 's' });
      expect([userId, deviceId, remarks.idsIgnored], String(id)).to.deep.equal([null, null, 2]);
    }
    for (const id of ['Null', 'NONE', ' null', 'none ', ' a ', '\u200b', '0'])
      expect(event({ user_id: id }).userId).to.equal(id);
  });

  it("makes a bad time the server's", () => {
    for (const time of ['soon', {}, true, '2026-02-30', null, 1e300]) expect(event({ time }).time).to.equal(NOW);
    expect(event({ time: '2026-03-08T09:00:00+01:00' }).time).to.equal(NOW - 7_200_000);
  });

  it('keeps properties with their types and counts what it trims', () => {
    const { properties, userProperties } = event({
      event_properties: { n: '42', b: 1, bad: Infinity },
      user_properties: [1],
    });
    expect(properties).to.deep.equal([
      ['n', { type: 'string', text: '42' }],
      ['b', 1],
    ]);
    expect(userProperties).to.deep.equal([]);
    expect(remarks.valuesTrimmed).to.equal(2);
  });

  it('replaces lone surrogates in the type and in ids', () => {
    const { type, userId } = event({ event_type: 'a\ud800', user_id: '\udc00' });
    expect([type, userId, remarks.valuesTrimmed]).to.deep.equal(['a\ufffd', '\ufffd', 2]);
  });

  it('takes ip and user_agent from trusted keys only', () => {
    const fields = { ip: '1.2.3.4', user_agent: 'Mozilla/5.0' };
    expect(event(fields)).to.include({ ip: '1.2.3.4', userAgent: 'Mozilla/5.0' });
    expect(event(fields, 'public')).to.include({ ip: null, userAgent: null });
    expect(event({ ip: 5, user_agent: '' })).to.include({ ip: null, userAgent: null });
  });

  it('takes library and origin', () => {
    expect(event({ library: 'js/1', origin: 'server' })).to.include({ library: 'js/1', origin: 'server' });
    expect(event({ library: 5, origin: 'SERVER' })).to.include({ library: null, origin: 'unknown' });
    for (const clientOriginated of [true, 1]) expect(event({ clientOriginated }).origin).to.equal('client');
    for (const clientOriginated of [false, 0, 'true'])
      expect(event({ clientOriginated }).origin).to.not.equal('client');
    expect(event({ library: 'l'.repeat(300) }).library).to.equal('l'.repeat(256));
    expect(remarks.valuesTrimmed).to.equal(1);
  });

  it('is not led astray by names of Object', () => {
    expect(
      normalise(
        JSON.parse('{"event_type":"__proto__","__proto__":{"user_id":"u"},"event_properties":{"__proto__":1}}'),
      ),
    ).to.include({
      type: '__proto__',
      userId: null,
    });
  });
});

describe('profileChangesOf', () => {
  it('sets the user properties of an event with a user', () => {
    const change = profileChangesOf(
      event({ user_id: 'u', user_properties: { plan: 'pro', tags: ['a'], n: null, ok: true, seats: 3 } }),
      { isDated: true },
    );
    expect(change?.userId).to.equal('u');
    expect(change?.deviceId).to.equal(null);
    expect(change?.at, 'its date').to.equal(NOW);
    expect(change?.set).to.deep.equal([
      ['plan', { type: 'string', text: 'pro' }],
      ['tags', { type: 'array', text: '["a"]' }],
      ['n', { type: 'null', text: '' }],
      ['ok', { type: 'boolean', text: 'true' }],
      ['seats', 3],
    ]);
  });

  it('is null without a user or without properties', () => {
    expect(profileChangesOf(event({ device_id: 'd', user_properties: { plan: 'pro' } }), { isDated: true })).to.equal(
      null,
    );
    expect(profileChangesOf(event({ user_id: 'u', user_properties: {} }), { isDated: true })).to.equal(null);
  });
});
