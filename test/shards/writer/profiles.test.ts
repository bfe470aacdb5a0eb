import { expect } from 'chai';
import { monotonic } from '../../../lib/base/monotonic.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openReader, PROJECT, type Sent, WriterProbe } from '../../support/shard-rows.ts';
import type { WriterStats } from '../../../lib/shards/writer-messages.ts';

/** Some 240 KB. */
const LARGE: Sent = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`k${i}`, `${i}`.padEnd(8_000, 'x')]));
const LIST: readonly object[] = Array.from({ length: 21_000 }, () => ({}));

const statsOf = (probe: WriterProbe): WriterStats => {
  probe.tick(monotonic());
  return probe.replies.flatMap((reply) => (reply.op === 'stats' ? [reply.stats] : [])).at(-1)!;
};

function profileOf(probe: WriterProbe, user: string): Sent {
  const snapshot = probe.snapshot();
  const reader = openReader(snapshot);
  const found = reader.profiles(snapshot).find(({ person }) => reader.ids().text(person) === user);
  const properties = { ...found?.properties };
  reader.forget();
  return properties;
}

describe('large profiles in a writer', () => {
  const fill = (probe: WriterProbe, users: number): void => {
    for (let user = 0; user < users; user++) probe.identify({ user_id: `u${user}`, user_properties: LARGE });
  };
  const touch = (users: number): object[] =>
    Array.from({ length: users }, (_, i) => ({ event_type: 'e', user_id: `u${i}`, user_properties: { t: i } }));

  it('are searched for names only as far as that takes others no time, stored or not', () => {
    const probe = new WriterProbe(temporaryFolder());
    const fields = (): readonly string[] =>
      (probe.ask({ op: 'catalog', project: PROJECT }) as { readonly fields: readonly string[] }).fields;
    for (let user = 0; user < 8; user++)
      probe.identify({ user_id: `u${user}`, user_properties: { ...LARGE, [`only ${user}`]: 1 } });
    probe.snapshot();
    expect(fields()).to.include.members(['user.k0', 'user.only 7', 'user.only 4']);
    expect(fields(), 'the oldest is beyond a mebibyte').not.to.include('user.only 0');
    const many = (user: number): Sent =>
      Object.fromEntries(Array.from({ length: 1_900 }, (_, i) => [`fresh ${user} ${i}`, 1]));
    for (let user = 0; user < 5; user++) probe.identify({ user_id: `v${user}`, user_properties: many(user) });
    expect(fields()).to.include('user.fresh 4 0');
    expect(fields(), 'three have the most that are read').not.to.include('user.fresh 0 0');
  });

  it('are counted where they wait, however small the requests that change them', () => {
    const probe = new WriterProbe(temporaryFolder());
    fill(probe, 4);
    probe.snapshot();
    const idle = statsOf(probe).dictionaryBytes;
    probe.identify({ user_id: 'u0', user_properties: { t: 1 } });
    expect(statsOf(probe).dictionaryBytes - idle).to.be.within(240_000, 260_000);
    probe.identify({ user_id: 'u0', user_properties: { t: 2 } });
    expect(statsOf(probe).dictionaryBytes - idle, 'once').to.be.within(240_000, 260_000);
    probe.identify({ user_id: 'u1', user_properties: { t: 1 } });
    expect(statsOf(probe).dictionaryBytes - idle).to.be.within(480_000, 520_000);
    probe.snapshot();
    expect(statsOf(probe).dictionaryBytes - idle).to.be.below(10_000);
  });

  it('are sealed when they are more than may wait in all projects', () => {
    const probe = new WriterProbe(temporaryFolder(), { pendingBytes: 700_000 });
    fill(probe, 4);
    probe.snapshot();
    const { seals } = statsOf(probe);
    for (const [user, more] of [
      [0, 0],
      [1, 0],
      [0, 0],
      [2, 1],
    ] as const) {
      probe.identify({ user_id: `u${user}`, user_properties: { t: 1 } });
      expect(statsOf(probe).seals - seals, `u${user}`).to.equal(more);
    }
  });

  it('are sealed at 4 MiB', () => {
    const probe = new WriterProbe(temporaryFolder());
    fill(probe, 40);
    expect(statsOf(probe).seals).to.equal(2);
    expect(statsOf(probe).dictionaryBytes).to.be.below(5 << 20);
  });

  it('keep objects and arrays as texts, and say what they said', () => {
    const probe = new WriterProbe(temporaryFolder());
    const body = { user_id: 'u', user_properties: { list: LIST, a: { b: [1, null, 'x'] }, n: 1 } };
    probe.identify(body);
    expect(probe.identify({ user_id: 'u', user_property_ops: { $set_once: { a: 1 }, $add: { list: 1 } } }).ignored).to.deep.equal(['list']); // prettier-ignore
    expect(statsOf(probe).dictionaryBytes).to.be.below(4 * JSON.stringify(body).length);
    const ignored = Object.keys(LARGE).slice(24);
    expect(probe.identify({ user_id: 'u', user_properties: LARGE }).ignored).to.deep.equal(ignored);
    expect(profileOf(probe, 'u')).to.deep.equal({ ...body.user_properties, ...without(LARGE, ignored) });
    probe.identify({ user_id: 'u', user_property_ops: { $unset: ['list', ...Object.keys(LARGE)] } });
    expect(profileOf(probe, 'u')).to.deep.equal({ a: body.user_properties.a, n: 1 });
  });

  it('are the same when the journal is read again', () => {
    const folder = temporaryFolder();
    const probe = new WriterProbe(folder);
    fill(probe, 2);
    probe.identify({ user_id: 'u0', user_properties: { list: LIST, $set: 1 } });
    probe.identify({ user_id: 'u0', user_property_ops: { $unset: ['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7'] } });
    probe.identify({ user_id: 'u0', user_properties: { list: LIST } });
    const again = new WriterProbe(folder); // as if killed
    const expected = profileOf(probe, 'u0');
    expect(expected).to.have.any.keys('list');
    expect(profileOf(again, 'u0')).to.deep.equal(expected);
  });

  it('are changed many times by one request', () => {
    const probe = new WriterProbe(temporaryFolder());
    const many = Object.fromEntries(Array.from({ length: 1_999 }, (_, i) => [`k${i}`, i]));
    probe.identify({ user_id: 'u', user_properties: many });
    probe.snapshot();
    probe.track(
      Array.from({ length: 2_000 }, (_, i) => ({ event_type: 'e', user_id: 'u', user_properties: { t: i } })),
    );
    expect(profileOf(probe, 'u')).to.deep.equal({ ...many, t: 1_999 });
  });

  it('are refused if one request changes more than 16 MiB of them, but not one profile or what is acknowledged', () => {
    const folder = temporaryFolder();
    const probe = new WriterProbe(folder);
    fill(probe, 71);
    probe.snapshot();
    const idle = statsOf(probe).dictionaryBytes;
    expect(() => probe.track(touch(71))).to.throw('payload_too_large: The users in the request');
    expect(statsOf(probe).dictionaryBytes, 'nothing stays').to.be.below(idle + 10_000);
    expect(probe.track(touch(60)).accepted).to.equal(60);
    expect(statsOf(probe).dictionaryBytes, 'sealed at once').to.be.below(idle + 100_000);
    expect(profileOf(probe, 'u59')).to.include({ t: 59 });
    expect(profileOf(probe, 'u70')).to.not.have.property('t');
  });
});

const without = (from: Sent, keys: readonly string[]): Sent =>
  Object.fromEntries(Object.entries(from).filter(([key]) => !keys.includes(key)));
