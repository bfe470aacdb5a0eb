import { expect } from 'chai';
import { Lru } from '../../lib/base/lru.ts';

describe('Lru', () => {
  it('evicts what was used the longest ago, and says so before', () => {
    const evicted: string[] = [];
    const lru: Lru<string, number> = new Lru(2, (value, key) => evicted.push(`${key}${value} ${lru.has(key)}`));
    lru.set('a', 1);
    lru.set('b', 2);
    expect([lru.get('a'), lru.peek('b')]).to.deep.equal([1, 2]);
    lru.set('c', 3);
    expect(evicted).to.deep.equal(['b2 true']);
    expect([lru.get('c'), lru.get('c'), [...lru.keys()]], 'used when it is the last').to.deep.equal([3, 3, ['a', 'c']]);
    expect([[...lru.keys()], lru.size, lru.get('b')]).to.deep.equal([['a', 'c'], 2, undefined]);
  });

  it('holds a weight, and nothing that is heavier by itself', () => {
    const lru = new Lru<string, string>(10);
    for (const [key, weight] of [['a', 4], ['b', 4], ['a', 6]] as const) expect(lru.set(key, key, weight)).to.equal(true); // prettier-ignore
    expect([[...lru.keys()], lru.weight]).to.deep.equal([['b', 'a'], 10]);
    expect(lru.set('b', 'heavy', 11), 'too heavy').to.equal(false);
    expect([[...lru.keys()], lru.weight]).to.deep.equal([['a'], 6]);
    lru.makeRoom(5);
    expect([lru.size, lru.weight]).to.deep.equal([0, 0]);
  });

  it('gives back what is deleted without evicting it, and evicts down to a new limit', () => {
    const evicted: string[] = [];
    const lru = new Lru<string, string>(3, (value) => evicted.push(value));
    for (const key of ['a', 'b', 'c']) lru.set(key, key);
    expect([lru.delete('b'), lru.delete('b'), evicted]).to.deep.equal(['b', undefined, []]);
    expect(lru.get('c')).to.equal('c');
    lru.set('d', 'd');
    lru.delete('d');
    expect([lru.get('a'), [...lru.keys()]], 'used behind one that is gone').to.deep.equal(['a', ['c', 'a']]);
    lru.get('c');
    lru.limit(1);
    expect([[...lru.keys()], evicted, lru.weight]).to.deep.equal([['c'], ['a'], 1]);
    lru.clear();
    expect([lru.size, lru.weight]).to.deep.equal([0, 0]);
  });
});
