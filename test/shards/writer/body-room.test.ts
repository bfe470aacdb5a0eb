import { expect } from 'chai';
import type { Parts } from '../../../lib/base/parts.ts';
import { BodyRoom } from '../../../lib/shards/writer/body-room.ts';
import { bodyAt, lendRoom } from '../../../lib/shards/writer/lent-room.ts';

const MIB = 1 << 20;
const filled = (length: number, value: number): Parts => [new Uint8Array(length).fill(value)];

describe('the room for bodies', () => {
  it('keeps bodies apart until they are given back, and is used again then', () => {
    const room = new BodyRoom(lendRoom());
    const places = [filled(100, 1), filled(0, 2), filled(5 * MIB, 3)].map((body) => room.keep(body)!);
    room.give(places[0]!);
    const later = room.keep(filled(60, 4))!;
    const seen = [...places.slice(1), later].map((place) => bodyAt(place));
    expect(seen.map(({ length }) => length)).to.deep.equal([0, 5 * MIB, 60]);
    expect(seen.slice(1).map((body) => new Set(body))).to.deep.equal([new Set([3]), new Set([4])]);
    for (let n = 0; n < 100; n++) room.give(room.keep(filled(MIB, n))!);
  });

  it('has the parts of a body one after the other', () => {
    const room = new BodyRoom(lendRoom());
    const place = room.keep([...filled(3, 1), ...filled(0, 2), ...filled(2, 3)])!;
    expect([...bodyAt(place)]).to.deep.equal([1, 1, 1, 3, 3]);
  });

  it('has no place beyond its limit, and has one again when others were given back', () => {
    const room = new BodyRoom(lendRoom());
    expect(room.keep([new Uint8Array(17 * MIB)])).to.equal(null);
    const most = Array.from({ length: 16 }, () => room.keep([new Uint8Array(MIB)])!);
    expect(room.keep(filled(1, 1))).to.equal(null);
    for (const place of most) room.give(place);
    expect(room.keep([new Uint8Array(16 * MIB)])).to.not.equal(null);
  });
});
