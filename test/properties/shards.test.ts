import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { gather } from '../oracle/gather.ts';
import { ShardPlay, type Turn } from '../support/shard-play.ts';
import { openReader } from '../support/shard-rows.ts';
import { runs, seed } from './settings.ts';
import { type Fact, eventsInShard, eventsOfOracle, profilesInShard, profilesOfOracle } from './stored-facts.ts';
import { world } from './worlds.ts';

describe('a shard', () => {
  let folder: string;
  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'windlass-property-'));
  });
  after(() => {
    fs.rmSync(folder, { recursive: true });
  });

  it('holds what the oracle makes of a world, through seals, merges and restarts', function () {
    this.timeout(24 * 3600_000);
    const turns = fc.array(fc.constantFrom<Turn>('nothing', 'nothing', 'seal', 'seal', 'restart', 'merge'), {
      maxLength: 9,
      size: 'max',
    });
    let count = 0;
    fc.assert(
      fc.property(world, turns, fc.integer({ min: 1, max: 9 }), fc.boolean(), (requests, what, sealRows, lines) => {
        const play = new ShardPlay(folder, `prj_${count++}`, { turns: what.values(), sealRows, segmentRows: 8, lines });
        play.load(requests);
        const snapshot = play.snapshot();
        const reader = openReader(snapshot);
        const facts = gather(requests);
        expect(print(eventsInShard(reader, snapshot))).to.equal(print(eventsOfOracle(facts)));
        expect(print(profilesInShard(reader, snapshot))).to.equal(print(profilesOfOracle(facts)));
        reader.forget();
        play.close();
      }),
      { numRuns: runs(40), ...seed() },
    );
  });
});

/** A fact a line. Keys of nested objects keep their order. */
function print(facts: readonly Fact[]): string {
  return facts.map((fact) => JSON.stringify(fact)).join('\n');
}
