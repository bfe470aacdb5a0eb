import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { COLUMN } from '../../lib/shards/segment/columns.ts';
import { gather, gatherWithout } from '../oracle/gather.ts';
import { ShardPlay, type Turn } from '../support/shard-play.ts';
import { openReader } from '../support/shard-rows.ts';
import { expectTypeRows } from '../support/type-rows.ts';
import { runs, replay } from './settings.ts';
import { type Fact, eventsInShard, eventsOfOracle, profilesInShard, profilesOfOracle } from './stored-facts.ts';
import { USERS, world } from './worlds.ts';

describe('a shard', () => {
  let folder: string;
  let count = 0;
  const turn = fc.constantFrom<Turn>('nothing', 'nothing', 'seal', 'seal', 'restart', 'compact');
  const turns = fc.array(turn, { maxLength: 9, size: 'max' });
  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'windlass-property-'));
  });
  after(() => {
    fs.rmSync(folder, { recursive: true });
  });

  it('holds what the oracle makes of a world, through seals, compactions and restarts', function () {
    this.timeout(24 * 3600_000);
    fc.assert(
      fc.property(world, turns, fc.integer({ min: 1, max: 9 }), fc.boolean(), (requests, what, sealRows, lines) => {
        const play = new ShardPlay(folder, `prj_${count++}`, { turns: what.values(), sealRows, segmentRows: 8, lines });
        play.load(requests);
        const snapshot = play.snapshot();
        const reader = openReader(snapshot);
        const facts = gather(requests);
        expect(print(eventsInShard(reader, snapshot))).to.equal(print(eventsOfOracle(facts)));
        expect(print(profilesInShard(reader, snapshot))).to.equal(print(profilesOfOracle(facts)));
        expectTypeRows(snapshot);
        reader.forget();
        play.close();
      }),
      { numRuns: runs(16), ...replay() },
    );
  });

  it('holds what is left when a user is erased, now and later, and no text of the user alone', function () {
    this.timeout(24 * 3600_000);
    const user = fc.constantFrom(...USERS);
    fc.assert(
      fc.property(world, turns, user, fc.tuple(turn, turn), (requests, what, userId, [before, after]) => {
        const play = new ShardPlay(folder, `prj_${count++}`, { turns: what.values(), sealRows: 4, segmentRows: 8 });
        play.load(requests);
        play.turn(before);
        const whole = gather(requests);
        const rest = gatherWithout(requests, userId);
        const { events } = play.erase(userId);
        expect(events).to.equal(whole.events.length - rest.events.length);
        for (const turn of ['nothing', after, 'restart'] as const) {
          play.turn(turn);
          const snapshot = play.snapshot();
          const reader = openReader(snapshot);
          expect(print(eventsInShard(reader, snapshot))).to.equal(print(eventsOfOracle(rest)));
          expect(print(profilesInShard(reader, snapshot))).to.equal(print(profilesOfOracle(rest)));
          expectTypeRows(snapshot);
          const sessions = new Set(rest.events.map(({ sessionId }) => sessionId));
          const kept = reader.dictionary(COLUMN.sessionId);
          for (let code = 1; code <= kept.size; code++) {
            if (kept.text(code) !== '') expect(sessions).to.include(kept.text(code));
          }
          reader.forget();
        }
        play.close();
      }),
      { numRuns: runs(16), ...replay() },
    );
  });
});

/** One fact per line. Keys of nested objects keep their order. */
function print(facts: readonly Fact[]): string {
  return facts.map((fact) => JSON.stringify(fact)).join('\n');
}
