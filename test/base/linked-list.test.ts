import { expect } from 'chai';
import { LinkedList } from '../../lib/base/linked-list.ts';

describe('LinkedList', () => {
  it('keeps values in the order of their arrival, or of their last move to the end', () => {
    const list = new LinkedList<string>();
    const [a, b, c] = ['a', 'b', 'c'].map((value) => list.push(value));
    list.moveToEnd(a!);
    expect([[...list], list.first]).to.deep.equal([['b', 'c', 'a'], 'b']);
    list.moveToEnd(a!);
    list.remove(c!);
    expect([...list]).to.deep.equal(['b', 'a']);
    list.remove(b!);
    list.push('d');
    expect([[...list], list.first]).to.deep.equal([['a', 'd'], 'a']);
  });

  it('ignores what was removed before, and leaves nothing to follow in it', () => {
    const list = new LinkedList<string>();
    const [a, b] = ['a', 'b', 'c'].map((value) => list.push(value));
    for (const place of [b!, b!, a!, a!]) list.remove(place);
    for (const place of [a!, b!]) list.moveToEnd(place);
    expect([...list]).to.deep.equal(['c']);
    expect([b!.previous, b!.next]).to.deep.equal([null, null]);
    list.clear();
    expect([[...list], list.first]).to.deep.equal([[], null]);
  });

  it('goes on when the value that was just returned is removed', () => {
    const list = new LinkedList<number>();
    const places = new Map([1, 2, 3].map((value) => [value, list.push(value)]));
    const seen: number[] = [];
    for (const value of list) {
      seen.push(value);
      list.remove(places.get(value)!);
    }
    expect([seen, [...list]]).to.deep.equal([[1, 2, 3], []]);
  });
});
