import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { monotonic } from '../../../lib/base/monotonic.ts';
import { atEnds } from '../../support/at-ends.ts';
import { track } from '../../support/bench.ts';
import type { AppendMessage, WriterStats } from '../../../lib/shards/writer-messages.ts';
import { tries } from '../../support/campaign.ts';
import { NOW, OPTIONS, PROJECT, rowsOf, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PROJECTS = Array.from({ length: 40 }, (_, n) => `prj_${n}`);
/** Memory of about ten projects that wait. */
const FEW = 672 << 10;

/** A project is taken up just after another was sealed: its journal file was the oldest again, and was given up. */
const RELEASED_TOO_EARLY = [
  ...[0, -1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, -2, 3].map((nth) => ({ project: Math.abs(nth), op: nth < 0 ? 'drop' : 'track' }) as const), // prettier-ignore
  { project: 0, op: 'tick' } as const,
  { project: 1, op: 'track' } as const,
  { project: 3, op: 'ask' } as const,
  ...[0, 2, 0].map((project) => ({ project, op: 'track' }) as const),
  { project: 2, op: 'erase' } as const,
  { project: 2, op: 'track' } as const,
];

const statsOf = (probe: WriterProbe): WriterStats => {
  probe.tick(monotonic());
  return probe.replies.flatMap((reply) => (reply.op === 'stats' ? [reply.stats] : [])).at(-1)!;
};

describe('more projects with pending events than there is memory for', () => {
  const event = (n: number): object => ({ event_type: `e${n}`, user_id: `u${n}`, insert_id: `id-${n}` });
  const expectOnce = (probe: WriterProbe, types: readonly string[]): void => {
    for (const project of PROJECTS)
      expect(rowsOf(probe.snapshot(project)).map(({ type }) => type).sort(), project).to.deep.equal(types); // prettier-ignore
  };

  it('are left to the journal, the least recently used first, and taken from it again: each is answered exactly once', () => {
    const folder = temporaryFolder();
    const probe = new WriterProbe(folder, { dictionaryBytes: FEW });
    for (const n of [1, 2]) {
      for (const project of PROJECTS) track(probe, [event(n), event(0)], project);
      const { seals, pendingRows } = statsOf(probe);
      expect([seals, pendingRows], 'few are in memory, and none is sealed').to.satisfy(() => seals === 0 && pendingRows > 0 && pendingRows < 60); // prettier-ignore
    }
    probe.snapshot(PROJECTS.at(-1));
    probe.ask({ op: 'close' });
    const next = new WriterProbe(folder, { dictionaryBytes: FEW });
    for (const project of PROJECTS) track(next, [event(1), event(3)], project);
    statsOf(next);
    next.ask({ op: 'drop', project: 'prj_none' }); // rewrites the journal, which moves records
    expectOnce(next, ['e0', 'e1', 'e2', 'e3']);
    const counted = new Map(next.usage().map(({ project, counts }) => [project, counts.stored]));
    expect(counted).to.deep.equal(new Map(PROJECTS.map((project) => [project, 4])));
  });

  it('are sealed while nobody waits, until the journal is not needed', () => {
    const folder = temporaryFolder();
    const probe = new WriterProbe(folder, { dictionaryBytes: FEW });
    for (const project of PROJECTS) track(probe, [event(1)], project);
    statsOf(probe);
    while (probe.writer.loading.replayNext());
    probe.tick(monotonic() + OPTIONS.sealAge);
    expect(statsOf(probe)).to.include({ seals: PROJECTS.length, pendingRows: 0 });
    probe.ask({ op: 'close' });
    expect(fs.readdirSync(path.join(folder, 'journal'))).to.deep.equal([]);
    expectOnce(new WriterProbe(folder), ['e1']);
  });

  it('are sealed where much of them waits, as to take it from the journal again would take long', () => {
    const probe = new WriterProbe(temporaryFolder(), { dictionaryBytes: 1 });
    for (const project of PROJECTS.slice(0, 3)) track(probe, Array.from({ length: 1_500 }, (_, n) => event(n)), project); // prettier-ignore
    expect(statsOf(probe)).to.include({ seals: 3, pendingRows: 0 });
  });

  atEnds(() => {
    it('are answered exactly once, whatever comes between, in whatever order', () => {
      const step = fc.record({
        project: fc.integer({ min: 0, max: 7 }),
        op: fc.constantFrom('track', 'track', 'track', 'tick', 'idle', 'ask', 'erase', 'drop', 'kill'),
      });
      fc.assert(
        fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) => {
          const folder = temporaryFolder();
          const few = { dictionaryBytes: FEW / 4 };
          let probe = new WriterProbe(folder, few);
          const sent = new Map<string, string[]>(PROJECTS.slice(0, 8).map((project) => [project, []]));
          for (const [n, { project: nth, op }] of steps.entries()) {
            const project = PROJECTS[nth]!;
            const own = sent.get(project)!;
            if (op === 'track') {
              track(probe, [...(own.length > 0 ? [event(Number(own[0]!.slice(1)))] : []), event(n)], project); // with a retry
              own.push(`e${n}`);
            } else if (op === 'tick') probe.tick(monotonic());
            else if (op === 'idle') probe.writer.loading.replayNext();
            else if (op === 'ask') probe.snapshot(project);
            else if (op === 'kill') probe = new WriterProbe(folder, few);
            else if (op === 'drop') {
              probe.ask({ op: 'drop', project });
              own.length = 0;
            } else if (own.length > 0) {
              probe.erase(own[0]!.replace('e', 'u'), project);
              own.shift();
            }
          }
          for (const [project, types] of sent)
            expect(rowsOf(probe.snapshot(project)).map(({ type }) => type).sort(), project).to.deep.equal([...types].sort()); // prettier-ignore
        }),
        { numRuns: tries(10), examples: [[RELEASED_TOO_EARLY]] },
      );
    });
  }, ['bytes of a deferred body', 'loaded shards']);

  it('keep what is on its way to the disk: another project that comes with it has nothing forgotten', () => {
    const probe = new WriterProbe(temporaryFolder(), { dictionaryBytes: 1 });
    const append = (id: number, kind: 'identify' | 'track', project: string, body: object): AppendMessage => ({
      ...{ op: 'append', id, kind, project: { ...PROJECT, id: project }, encoding: 'identity' },
      context: { receivedAt: NOW, keyKind: 'trusted', ip: null, userAgent: null, place: null },
      body: new Uint8Array(Buffer.from(JSON.stringify(body))),
    });
    const pairs = Array.from({ length: 20 }, (_, n) => [`prj_a${n}`, `prj_b${n}`] as const);
    const messages = pairs.flatMap(([one, other], n) => [
      append(1_000 + n, 'identify', one, { user_id: 'u1', user_properties: { plan: 'pro' } }),
      append(2_000 + n, 'track', other, { event_type: 'e' }),
    ]);
    probe.process(messages);
    for (const [one, other] of pairs) {
      const kept = [probe.snapshot(one).profileVersion, rowsOf(probe.snapshot(other)).length];
      expect(kept, one).to.deep.equal([1, 1]);
    }
  });
});
