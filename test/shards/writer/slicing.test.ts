import fs from 'node:fs';
import { expect } from 'chai';
import type { AppendMessage } from '../../../lib/shards/writer-messages.ts';
import { setThresholds } from '../../../lib/base/threshold.ts';
import { answerTo, flush, tell } from '../../support/bench.ts';
import { NOW, PROJECT, rowsOf, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const OTHER = 'prj_other';
const FILLER = 's'.repeat(200);
const SLICE = ['milliseconds of a slice'];

/** Lines of a stream; every 50th is invalid. */
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) =>
    i % 50 === 49 ? 'nothing' : JSON.stringify({ event_type: 'e', user_id: `u${from + i}`, session_id: FILLER }),
  ).join('\n');

function messageOf(id: number, body: string, project: string = PROJECT.id): AppendMessage {
  return {
    ...{ op: 'append', id, kind: 'track_lines', project: { ...PROJECT, id: project }, encoding: 'identity' },
    body: new Uint8Array(Buffer.from(body)),
    context: { receivedAt: NOW, keyKind: 'trusted', ip: null, userAgent: null, place: null },
  };
}

const append = (probe: WriterProbe, body: string, project?: string): number => tell(probe, messageOf(0, body, project));

/** Continues the writer's unfinished work, one turn. */
const turn = (probe: WriterProbe): void => probe.turns(1);

function settle(probe: WriterProbe): void {
  while (probe.writer.isReady) turn(probe);
  flush(probe);
}

const users = (probe: WriterProbe, project?: string): (string | null)[] =>
  rowsOf(probe.snapshot(project)).map(({ user }) => user);

describe('a body that takes long', () => {
  let probe: WriterProbe;
  beforeEach(() => {
    setThresholds('least', SLICE);
    probe = new WriterProbe(temporaryFolder());
    for (const project of [PROJECT.id, OTHER, 'prj_nobody']) probe.ask({ op: 'extent', project }); // loads them
    probe.stepwise = true;
  });
  afterEach(() => setThresholds('usual', SLICE));

  it('is taken in slices: between them others are acknowledged and asked, and its own project waits', () => {
    const long = append(probe, lines(0, 2_000));
    const question = tell(probe, { op: 'snapshot' });
    const later = append(probe, lines(2_000, 2_001));
    for (let n = 0; n < 3; n++) {
      const other = append(probe, lines(n, n + 1), OTHER);
      flush(probe);
      expect(answerTo(probe, other), 'of another project').to.deep.include({ ok: true });
      turn(probe);
    }
    expect([long, question, later].map((id) => answerTo(probe, id))).to.deep.equal([undefined, undefined, undefined]);
    settle(probe);
    expect(answerTo(probe, long)?.value).to.deep.include({ accepted: 1_960, rejected: 40, lines: 2_000 });
    expect([question, later].map((id) => answerTo(probe, id)?.ok)).to.deep.equal([true, true]);
    probe.stepwise = false;
    expect([users(probe).length, users(probe, OTHER).length]).to.deep.equal([1_961, 3]);
  });

  it('begins anew when the disk did not keep what came before it, and is stored once', () => {
    const { fdatasync, fdatasyncSync } = fs;
    const nothing = new Int32Array(new SharedArrayBuffer(4));
    let before = 0;
    let long = 0;
    let tellSync: (error: Error | null) => void = () => undefined;
    try {
      Object.assign(fs, {
        fdatasyncSync: () => Atomics.wait(nothing, 0, 0, 20), // a slow disk that nobody waits for
        fdatasync: (_fd: number, done: typeof tellSync) => (tellSync = done),
      });
      append(probe, lines(600, 601), OTHER);
      before = append(probe, lines(500, 501));
      long = append(probe, lines(0, 100));
      tellSync(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }));
    } finally {
      Object.assign(fs, { fdatasync, fdatasyncSync });
    }
    settle(probe);
    expect(answerTo(probe, before)?.error).to.deep.include({ code: 'storage_unavailable' });
    expect(answerTo(probe, long)?.value).to.deep.include({ accepted: 98, rejected: 2 });
    probe.stepwise = false;
    const stored = users(probe);
    expect([stored.length, new Set(stored).size, stored.includes('u500')]).to.deep.equal([98, 98, false]);
  });

  it('leaves nothing when it is refused half-way, and lets its project go on', () => {
    const batch = [...Array.from({ length: 60 }, () => '{"event_type":"e"}'), '{"event_type"'].join();
    const refused = tell(probe, { ...messageOf(0, `{"events":[${batch}]}`), kind: 'track' });
    const later = append(probe, lines(0, 1));
    settle(probe);
    expect(answerTo(probe, refused)?.error).to.deep.include({ code: 'bad_json' });
    expect(answerTo(probe, later)?.ok).to.equal(true);
    probe.stepwise = false;
    expect(users(probe)).to.deep.equal(['u0']);
  });

  it('is whole before the writer closes', () => {
    const long = append(probe, lines(0, 100));
    const closed = tell(probe, { op: 'close' });
    expect([answerTo(probe, long), answerTo(probe, closed)]).to.deep.equal([undefined, undefined]);
    while (probe.writer.isReady) turn(probe);
    expect([answerTo(probe, long)?.ok, answerTo(probe, closed)?.ok]).to.deep.equal([true, true]);
  });
});
