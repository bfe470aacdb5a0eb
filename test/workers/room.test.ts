import { expect } from 'chai';
import fc from 'fast-check';
import type { Tenant } from '../../lib/base/project.ts';
import { NoRoom, Room, Rooms } from '../../lib/workers/room.ts';

const MIB = 2 ** 20;
let nth = 1;
const tenant = (id: string, orgId: string, weight = 1): Tenant => ({ id, orgId, weight });

/** Takes one MiB after another; returns how many it got. */
function fill(rooms: Rooms, whose: Tenant): number {
  const room = new Room(rooms.open(whose, nth++)!.share);
  for (let mib = 1; ; mib++) {
    try {
      room.cover(mib * MIB);
    } catch (error) {
      if (error instanceof NoRoom) return mib - 1;
      throw error;
    }
  }
}

describe('the room of queries', () => {
  it('is nearly all one query’s when it is alone', () => {
    expect(fill(new Rooms(1_000 * MIB), tenant('a', 'A'))).to.be.within(800, 900);
  });

  it('is left to the next organization, however many queries and projects another has', () => {
    const rooms = new Rooms(1_000 * MIB);
    let held = 0;
    for (let n = 0; n < 50; n++) held += fill(rooms, tenant(`a${n}`, 'A'));
    expect(held).to.be.below(850);
    expect(fill(rooms, tenant('b', 'B'))).to.be.above(100);
    expect(fill(rooms, tenant('c', 'C'))).to.be.above(10);
  });

  it('is left to other projects of the organization', () => {
    const rooms = new Rooms(1_000 * MIB);
    for (let n = 0; n < 10; n++) fill(rooms, tenant('a', 'A'));
    expect(fill(rooms, tenant('b', 'A'))).to.be.above(10);
  });

  it('comes back whole when tasks are over, also of a thread that died and was replaced', () => {
    const step = fc.tuple(fc.constantFrom('open', 'take', 'restart', 'close'), fc.nat(5), fc.nat(400));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const rooms = new Rooms(1_000 * MIB);
        const tasks = new Map<number, { opened: NonNullable<ReturnType<Rooms['open']>>; room: Room; held: number }>();
        for (const [what, at, mib] of steps) {
          const task = tasks.get(at);
          if (what === 'open' && !task) {
            const opened = rooms.open(tenant(`p${at}`, `o${at % 2}`), at)!;
            tasks.set(at, { opened, room: new Room(opened.share), held: 0 });
          }
          if (what === 'restart' && task) Object.assign(task, { room: new Room(task.opened.share), held: 0 });
          if (what === 'close' && task) {
            task.opened.close();
            tasks.delete(at);
          }
          if (what === 'take' && task) {
            try {
              task.room.cover(mib * MIB);
              task.held = Math.max(task.held, mib);
            } catch (error) {
              expect(error).to.be.instanceOf(NoRoom);
            }
          }
          const held = [...tasks.values()].reduce((sum, one) => sum + one.held, 0);
          expect(rooms.held).to.equal(held * MIB);
          expect(held).to.be.at.most(1_000);
        }
        for (const { opened } of tasks.values()) opened.close();
        expect(rooms.held).to.equal(0);
      }),
    );
  });

  it('tells whoever waits that a task is over which held something', async () => {
    const rooms = new Rooms(100 * MIB);
    const [idle, busy] = [rooms.open(tenant('a', 'A'), 1)!, rooms.open(tenant('b', 'B'), 2)!];
    new Room(busy.share).cover(MIB);
    let told = false;
    const freed = rooms.freed().then(() => (told = true));
    idle.close();
    await Promise.resolve();
    expect(told).to.equal(false);
    busy.close();
    await freed;
  });
});
