import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { mergeSegments } from '../../lib/shards/merge.ts';
import { gather } from '../oracle/gather.ts';
import type { World } from '../oracle/world.ts';
import { openReader, WriterProbe } from '../support/shard-rows.ts';
import { wireJson } from '../support/wire-json.ts';
import { runs, seed } from './settings.ts';
import { type Fact, eventsInShard, eventsOfOracle, profilesInShard, profilesOfOracle } from './stored-facts.ts';
import { world } from './worlds.ts';

/** What happens after a request. */
type Turn = 'nothing' | 'seal' | 'restart' | 'merge';

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
    const turns = fc.infiniteStream(fc.constantFrom<Turn>('nothing', 'nothing', 'seal', 'seal', 'restart', 'merge'));
    let count = 0;
    fc.assert(
      fc.property(world, turns, fc.integer({ min: 1, max: 9 }), (requests, what, sealRows) => {
        const project = `prj_${count++}`;
        const probe = load(requests, { turns: what, project, sealRows });
        const snapshot = probe.snapshot(project);
        const reader = openReader(snapshot);
        const facts = gather(requests);
        expect(print(eventsInShard(reader, snapshot))).to.equal(print(eventsOfOracle(facts)));
        expect(print(profilesInShard(reader, snapshot))).to.equal(print(profilesOfOracle(facts)));
        reader.forget();
        probe.ask({ op: 'drop', project });
        probe.ask({ op: 'close' });
      }),
      { numRuns: runs(40), ...seed() },
    );
  });

  function load(requests: World, options: { turns: fc.Stream<Turn>; project: string; sealRows: number }): WriterProbe {
    const { project, sealRows } = options;
    let probe = new WriterProbe(folder, { sealRows, segmentRows: 8 });
    for (const request of requests) {
      const isTrack = 'track' in request;
      const body = wireJson(isTrack ? { events: request.track } : request.identify);
      probe.append(isTrack ? 'track' : 'identify', body, request.at, project);
      const turn: Turn = options.turns.next().value ?? 'nothing';
      if (turn === 'seal') probe.snapshot(project);
      if (turn === 'merge') merge(probe, project);
      if (turn === 'restart') {
        probe.ask({ op: 'close' });
        probe = new WriterProbe(folder, { sealRows, segmentRows: 8 });
      }
    }
    return probe;
  }

  /** All segments of a project into one or more. */
  function merge(probe: WriterProbe, project: string): void {
    probe.takeMerges();
    const snapshot = probe.snapshot(project);
    const ids = snapshot.segments.map(({ id }) => id);
    if (ids.length === 0) return;
    const reader = openReader(snapshot);
    const made = mergeSegments(
      ids.map((id) => reader.segment(id)),
      reader.fieldKeys(Math.max(...ids)),
      8,
    );
    reader.forget();
    probe.ask({ op: 'merged', project, replaced: ids, segments: made });
  }
});

/** A fact a line. Keys of nested objects keep their order. */
function print(facts: readonly Fact[]): string {
  return facts.map((fact) => JSON.stringify(fact)).join('\n');
}
