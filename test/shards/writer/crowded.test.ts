import { expect } from 'chai';
import { monotonic } from '../../../lib/base/monotonic.ts';
import { track } from '../../support/bench.ts';
import type { AppendMessage, WriterStats } from '../../../lib/shards/writer-messages.ts';
import { NOW, PROJECT, rowsOf, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PROJECTS = Array.from({ length: 40 }, (_, n) => `prj_${n}`);
/** Memory of about ten projects that wait. */
const FEW = 224 << 10;

const statsOf = (probe: WriterProbe): WriterStats => {
  probe.writer.tick(monotonic());
  return probe.replies.flatMap((reply) => (reply.op === 'stats' ? [reply.stats] : [])).at(-1)!;
};

describe('more projects with pending events than there is memory for', () => {
  it('are sealed, the least recently used first, until the rest fits, and each is answered exactly once', () => {
    const probe = new WriterProbe(temporaryFolder(), { dictionaryBytes: FEW });
    for (const n of [1, 2]) for (const project of PROJECTS) track(probe, [{ event_type: `e${n}` }], project);
    statsOf(probe);
    const { seals, pendingRows } = statsOf(probe);
    expect(pendingRows).to.be.within(2, 30);
    expect(seals).to.equal(PROJECTS.length - pendingRows / 2);
    probe.snapshot(PROJECTS.at(-1));
    expect(statsOf(probe).seals, 'what was used last had not been sealed').to.equal(seals + 1);
    for (const project of PROJECTS)
      expect(rowsOf(probe.snapshot(project)).map(({ type }) => type).sort(), project).to.deep.equal(['e1', 'e2']); // prettier-ignore
  });

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
    probe.writer.process(messages);
    for (const [one, other] of pairs) {
      const kept = [probe.snapshot(one).profileVersion, rowsOf(probe.snapshot(other)).length];
      expect(kept, one).to.deep.equal([1, 1]);
    }
  });
});
