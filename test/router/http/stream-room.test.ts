import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { Ledger } from '../../../lib/base/ledger.ts';
import { AppError } from '../../../lib/base/errors.ts';
import { StreamRooms, type StreamRoom } from '../../../lib/router/http/stream-room.ts';

const KIB = 1 << 10;
const MIB = 1 << 20;
const tenant = { id: 'prj_a', orgId: 'org_a', weight: 1 };
const other = { id: 'prj_b', orgId: 'org_b', weight: 1 };

describe('the room of streams', () => {
  let shares: Ledger;
  let rooms: StreamRooms;
  beforeEach(() => {
    shares = new Ledger(MIB);
    rooms = new StreamRooms(shares);
  });

  /** How a stream fares that needs so much. */
  function ask(room: StreamRoom, bytes: number): { state: string } {
    const outcome = { state: 'goes on' };
    const wait = room.cover(() => bytes);
    if (wait === null) return outcome;
    outcome.state = 'waits';
    wait.then(
      () => (outcome.state = 'goes on'),
      (error: unknown) => (outcome.state = error instanceof AppError ? error.data.code : String(error)),
    );
    return outcome;
  }

  it('is counted in steps, and given back as less is held', () => {
    const room = rooms.open(tenant);
    expect(ask(room, 1).state).to.equal('goes on');
    expect(shares.heldBy(tenant.id)).to.equal(16 * KIB);
    ask(room, 100 * KIB);
    expect(shares.heldBy(tenant.id)).to.equal(112 * KIB);
    room.shrink(17 * KIB);
    expect(shares.heldBy(tenant.id)).to.equal(32 * KIB);
    room.close();
    expect(shares.total).to.equal(0);
  });

  it('has a line of any length for a stream that is alone', () => {
    const room = rooms.open(tenant);
    for (let bytes = 64 * KIB; bytes <= 4 * MIB; bytes += 64 * KIB) expect(ask(room, bytes).state).to.equal('goes on');
  });

  it('bounds what many streams of a project hold, and leaves some for its bodies and for others', () => {
    for (let n = 0; n < 100; n++) {
      const room = rooms.open(tenant);
      for (let bytes = 16 * KIB; bytes < 128 * KIB && ask(room, bytes).state === 'goes on';) bytes += 16 * KIB;
    }
    expect(shares.total).to.be.below(MIB / 4);
    expect(shares.fits(tenant, 64 * KIB)).to.equal(true);
    expect(ask(rooms.open(other), 64 * KIB).state).to.equal('goes on');
  });

  it('is left for the lines of streams by what inflates them, however many of these there are', () => {
    const inflated: StreamRoom[] = [];
    for (;;) {
      const room = rooms.open(tenant);
      if (room.keep(100 * KIB) !== null) break;
      inflated.push(room);
    }
    expect(inflated.length).to.be.within(2, 5);
    for (const room of inflated) expect(ask(room, 16 * KIB).state).to.equal('goes on');
    for (const room of inflated) room.close();
    expect(shares.total).to.equal(0);
  });

  it('comes to those that wait when others finish, or when they need less themselves', async () => {
    const [first, second] = [rooms.open(tenant), rooms.open(tenant)];
    ask(first, 900 * KIB);
    let needed = 64 * KIB;
    const waits = second.cover(() => needed);
    expect(waits).not.to.equal(null);
    first.close();
    await waits;
    const third = rooms.open(tenant);
    const more = third.cover(() => needed * 20)!;
    needed = 1;
    third.shrink(0);
    await more;
  });

  it('ends streams that have waited for too long, of which one may be enough for the others', async () => {
    const hog = rooms.open(other);
    ask(hog, 500 * KIB);
    const [first, second] = [rooms.open(tenant), rooms.open(tenant)];
    ask(first, 100 * KIB);
    const outcomes = [ask(first, 700 * KIB), ask(second, 100 * KIB)];
    expect(outcomes.map(({ state }) => state)).to.deep.equal(['waits', 'waits']);
    rooms.giveUp(-Infinity);
    await turn();
    expect(outcomes.map(({ state }) => state), 'it is too soon').to.deep.equal(['waits', 'waits']); // prettier-ignore
    rooms.giveUp(Infinity);
    await turn();
    expect(outcomes.map(({ state }) => state)).to.deep.equal(['overloaded', 'goes on']);
  });
});
