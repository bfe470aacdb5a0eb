import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { monotonic } from '../../../lib/base/monotonic.ts';
import { setThresholds } from '../../../lib/base/threshold.ts';
import type { WriterAnswer, UsageDay } from '../../../lib/shards/writer-messages.ts';
import { begin, tell, track } from '../../support/bench.ts';
import { NOW, PROJECT, rowsOf, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const OTHER = 'prj_other';
const event = (n: number): Record<string, unknown> => ({ event_type: `e${n}`, user_id: `u${n}`, insert_id: `id-${n}` });

/** Rows in memory, and seals: none of a project that is not taken up. */
const pending = (probe: WriterProbe): number => {
  probe.tick(monotonic());
  return probe.replies
    .flatMap((reply) => (reply.op === 'stats' ? [reply.stats.pendingRows + reply.stats.seals] : []))
    .at(-1)!;
};
const told = (probe: WriterProbe): UsageDay[] => probe.replies.flatMap((reply) => (reply.op === 'usage' ? reply.days : [])); // prettier-ignore
const answerTo = (probe: WriterProbe, id: number): WriterAnswer | undefined =>
  probe.replies.flatMap((reply) => (reply.op === 'done' ? reply.answers : [])).find((answer) => answer.id === id);
const accepted = (probe: WriterProbe, id: number): unknown => {
  const answer = answerTo(probe, id);
  return answer?.ok === true ? (answer.value as { accepted: number }).accepted : answer;
};
const arrived = (probe: WriterProbe, project: string = PROJECT.id): string[] =>
  rowsOf(probe.snapshot(project)).sort((a, b) => a.arrival - b.arrival).map(({ type }) => type); // prettier-ignore

describe('events of a project that only the journal has', () => {
  let folder: string;
  let probe: WriterProbe;
  beforeEach(() => {
    folder = temporaryFolder();
    probe = new WriterProbe(folder);
    track(probe, [event(1), event(2)]);
    probe = new WriterProbe(folder); // as after kill -9
  });

  it('are acknowledged without taking it up, and answered in order of arrival, each once', () => {
    expect(accepted(probe, track(probe, [event(2), event(3)]))).to.equal(2);
    expect(accepted(probe, track(probe, [event(3), event(4)]))).to.equal(2);
    expect(pending(probe)).to.equal(0);
    expect(arrived(probe)).to.deep.equal(['e1', 'e2', 'e3', 'e4']);
  });

  it('are there after another kill', () => {
    track(probe, [event(3)]);
    probe = new WriterProbe(folder);
    track(probe, [event(4)]);
    expect(arrived(new WriterProbe(folder))).to.deep.equal(['e1', 'e2', 'e3', 'e4']);
  });

  it('are refused as usual, and then nothing of them is stored', () => {
    const id = tell(probe, {
      ...{
        op: 'append',
        kind: 'track',
        project: PROJECT,
        encoding: 'identity',
        body: new Uint8Array(Buffer.from('[')),
      },
      context: { receivedAt: NOW, keyKind: 'trusted', ip: null, userAgent: null, place: null },
    });
    expect(answerTo(probe, id)).to.deep.include({ ok: false });
    expect(accepted(probe, track(probe, [{ user_id: 'u' }, event(3)]))).to.equal(1);
    expect(arrived(probe)).to.deep.equal(['e1', 'e2', 'e3']);
  });

  it('are not taken for stored ones if the journal lacks records that were sealed', () => {
    const journal = path.join(folder, 'journal');
    const before = fs.readdirSync(journal).map((name) => ({ name, bytes: fs.readFileSync(path.join(journal, name)) }));
    track(
      probe,
      Array.from({ length: 300 }, (_, n) => event(n + 3)),
    );
    expect(arrived(probe)).to.have.length(302);
    probe.ask({ op: 'close' });
    for (const name of fs.readdirSync(journal)) fs.rmSync(path.join(journal, name));
    for (const { name, bytes } of before) fs.writeFileSync(path.join(journal, name), bytes);
    probe = new WriterProbe(folder);
    track(probe, [event(900)]);
    expect(pending(probe), 'it is not taken up').to.equal(0);
    expect(arrived(probe).at(-1)).to.equal('e900');
  });

  it('come before what follows them, also if they are still on their way to the disk', () => {
    probe.more = true;
    begin(probe, [event(3)]);
    expect(probe.writer.commits.isSyncing).to.equal(true);
    probe.append('identify', JSON.stringify({ user_id: 'u3', user_properties: { plan: 'pro' } }));
    probe.more = false;
    expect(arrived(probe)).to.deep.equal(['e1', 'e2', 'e3']);
  });

  it('go with the project, or with their user', () => {
    track(probe, [event(3)]);
    probe.erase('u3');
    expect(arrived(probe)).to.deep.equal(['e1', 'e2']);
    probe = new WriterProbe(folder);
    track(probe, [event(4)], OTHER);
    probe = new WriterProbe(folder);
    track(probe, [event(5)], OTHER);
    probe.ask({ op: 'drop', project: OTHER });
    expect(arrived(new WriterProbe(folder), OTHER)).to.deep.equal([]);
  });

  it('are counted at once, and exactly when the project is taken up', () => {
    track(probe, [event(2), event(3)]);
    track(probe, [event(4)]);
    probe.tick(monotonic());
    expect(told(probe).map(({ counts, isMore }) => [counts.stored, isMore])).to.deep.equal([[3, true]]);
    expect(probe.usage().at(-1)).to.deep.include({ project: PROJECT.id }).and.not.to.have.property('isMore');
    expect(told(probe).at(-1)?.counts).to.deep.include({ ingested: 5, stored: 4, duplicate: 1 });
  });

  it('are not told again if it is taken up before they are told', () => {
    track(probe, [event(3)]);
    probe.snapshot();
    probe.tick(monotonic());
    expect(told(probe).map(({ counts, isMore }) => [counts.stored, isMore])).to.deep.equal([[3, undefined]]);
  });

  it('have it taken up while the journal is nearly full', () => {
    const journalBytes = 32 << 10;
    probe = new WriterProbe(folder, { journalBytes });
    const waiting = [8, 8, 8, 5, 8].map((kilobytes, n) => {
      track(probe, [{ ...event(n + 3), event_properties: { text: 'x'.repeat(kilobytes << 10) } }]);
      return pending(probe) > 0;
    });
    expect(waiting).to.deep.equal([false, false, false, false, true]);
    expect(arrived(probe)).to.deep.equal(['e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'e7']);
  });

  it('have it taken up once much is waiting, or if the body is large', () => {
    const many = (from: number): object[] => Array.from({ length: 200 }, (_, n) => event(from + n));
    const [few, much] = [1, 8].map((times) => {
      folder = temporaryFolder();
      track(new WriterProbe(folder), [event(1)]);
      probe = new WriterProbe(folder);
      for (let nth = 0; nth < times; nth++) track(probe, many(nth * 200));
      return pending(probe);
    });
    expect(few).to.equal(0);
    expect(much).to.be.greaterThan(0);
    probe = new WriterProbe(folder);
    setThresholds('least', ['bytes of a deferred body']);
    try {
      track(probe, [event(3)]);
    } finally {
      setThresholds('usual', ['bytes of a deferred body']);
    }
    expect(pending(probe)).to.be.greaterThan(0);
  });
});
