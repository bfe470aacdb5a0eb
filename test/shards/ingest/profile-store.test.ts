import { expect } from 'chai';
import { normaliseIdentify } from '../../../lib/shards/ingest/normalise/identify.ts';
import { eventContext } from '../../../lib/shards/ingest/normalise/context.ts';
import { ProfileStore } from '../../../lib/shards/ingest/profile-store.ts';

const CONTEXT = eventContext(
  { receivedAt: 5, keyKind: 'trusted', ip: null, userAgent: null, place: null },
  { id: 'prj_1', retentionDays: null, ipPolicy: 'full' },
);

describe('ProfileStore', () => {
  const set = (store: ProfileStore, properties: object): number => {
    const change = normaliseIdentify({ user_id: 'u', user_properties: properties }, CONTEXT);
    if ('error' in change) throw new Error(change.error);
    return store.apply(null, 1, change, 5).grown;
  };
  const rows = (store: ProfileStore): unknown[] =>
    store.rows().map(({ properties }) => JSON.parse(properties) as unknown);

  it('stores a profile as it was when it was set aside, and later changes with the next seal', () => {
    const store = new ProfileStore(() => -Infinity);
    set(store, { a: 1, list: [{}] });
    expect(store.freeze()).to.equal(1);
    set(store, { a: 2 });
    expect(rows(store), 'also if storing it is tried again').to.deep.equal([{ a: 1, list: [{}] }]);
    expect([...store.keys(1)]).to.deep.equal(['a', 'list']);
    store.saved();
    store.freeze();
    expect(rows(store)).to.deep.equal([{ a: 2, list: [{}] }]);
  });

  it('counts what it holds until that is stored', () => {
    const store = new ProfileStore(() => -Infinity);
    const text = 'x'.repeat(5_000);
    const grown = set(store, { text });
    expect(grown).to.be.within(5_000, 5_500);
    expect(set(store, { text })).to.equal(0);
    expect(set(store, { text: '' })).to.equal(0);
    expect(set(store, { text, more: text })).to.be.within(10_000, 10_100);
    const { memory } = store;
    expect(store.bytes).to.equal(10_008);
    store.freeze();
    expect([store.bytes, store.memory]).to.deep.equal([0, memory]);
    set(store, { n: 1 });
    expect(store.memory).to.be.within(memory * 2, memory * 2 + 100);
    store.saved();
    store.freeze();
    store.saved();
    expect(store.memory).to.equal(0);
  });

  it('drops what it has read for requests that changed nothing', () => {
    const store = new ProfileStore(() => -Infinity);
    store.read(null, 7);
    expect(store.memory).to.be.above(0);
    store.forgetKnown();
    expect(store.memory).to.equal(0);
  });
});
