import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { AppError } from '../../../lib/base/errors.ts';
import { monotonic } from '../../../lib/base/monotonic.ts';
import { shardPath } from '../../../lib/shards/file/shard-file.ts';
import type { Storing } from '../../../lib/shards/storer.ts';
import { setThresholds } from '../../../lib/base/threshold.ts';
import { track, until } from '../../support/bench.ts';
import { outcomeOf, PROJECT, rowsOf, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MANY = 24;
const PROJECTS = Array.from({ length: MANY }, (_, n) => `prj_${n}`);
/** Requests per project. */
const REQUESTS = 3;

const event = (n: number, user = `u${n}`): Record<string, unknown> => ({ event_type: `e${n}`, user_id: user, insert_id: `id-${n}` }); // prettier-ignore

describe('many projects whose events an earlier run left in the journal', () => {
  let folder: string;
  let probe: WriterProbe;
  beforeEach(() => {
    folder = temporaryFolder();
    probe = new WriterProbe(folder);
    for (let n = 0; n < REQUESTS; n++) for (const project of PROJECTS) track(probe, [event(n)], project);
    restart();
  });

  /** As after kill -9: only what is on disk remains of the earlier writer. */
  const restart = (storing?: Storing): void => {
    probe = new WriterProbe(folder, {}, storing);
  };
  const sealed = (): string[] => PROJECTS.filter((project) => fs.existsSync(shardPath(folder, project)));
  const seals = (): number => {
    probe.tick(monotonic());
    return probe.replies.flatMap((reply) => (reply.op === 'stats' ? reply.stats.seals : [])).at(-1)!;
  };
  /** Event types of a project's rows, by arrival. */
  const arrived = (project: string): string[] => rowsOf(probe.snapshot(project)).sort((a, b) => a.arrival - b.arrival).map(({ type }) => type); // prettier-ignore
  const expectOnce = (expected: (project: string, nth: number) => readonly string[]): void => {
    for (const [nth, project] of PROJECTS.entries())
      expect(arrived(project), project).to.deep.equal(expected(project, nth));
  };
  const bytesWith = (text: string): string[] =>
    ['journal', 'shards'].flatMap((name) => {
      const files = fs.readdirSync(path.join(folder, name)).map((file) => path.join(folder, name, file));
      return files.filter((file) => fs.readFileSync(file, 'latin1').includes(text));
    });

  it('are answered exactly once and in order of arrival, and none is sealed before it is asked', () => {
    expect([probe.replies[0], seals(), sealed()]).to.deep.equal([
      { op: 'ready', error: null, unsealed: PROJECTS },
      0,
      [],
    ]);
    track(probe, [event(1), event(9)], 'prj_7'); // a retry and a new event
    expect([seals(), sealed()]).to.deep.equal([0, []]);
    expect(arrived('prj_7')).to.deep.equal(['e0', 'e1', 'e2', 'e9']);
    expect(arrived('prj_3')).to.deep.equal(['e0', 'e1', 'e2']);
    expect([seals(), sealed()]).to.deep.equal([2, ['prj_3', 'prj_7']]);
    expectOnce((project) => ['e0', 'e1', 'e2', ...(project === 'prj_7' ? ['e9'] : [])]);
    expect(seals()).to.equal(MANY);
  });

  it('are sealed once they were taken up for an event, if the journal needs its room', () => {
    const journal = path.join(folder, 'journal');
    const bytes = fs.readdirSync(journal).reduce((sum, name) => sum + fs.statSync(path.join(journal, name)).size, 0);
    setThresholds('least', ['bytes of a deferred body']);
    try {
      for (const fullness of [0.3, 0.6]) {
        probe = new WriterProbe(folder, { journalBytes: Math.ceil(bytes / fullness) });
        track(probe, [event(9)], 'prj_7');
        expect(sealed()).to.deep.equal(fullness > 0.5 ? ['prj_7'] : []);
      }
    } finally {
      setThresholds('usual', ['bytes of a deferred body']);
    }
    expectOnce((project) => ['e0', 'e1', 'e2', ...(project === 'prj_7' ? ['e9'] : [])]);
  });

  it('are sealed while nobody waits, that with the newest events first, until the journal is not needed', () => {
    expect(probe.writer.loading.replayNext()).to.equal(true);
    expect([seals(), sealed()]).to.deep.equal([1, [PROJECTS.at(-1)]]);
    while (probe.writer.loading.replayNext());
    expect([seals(), sealed()]).to.deep.equal([MANY, PROJECTS]);
    probe.ask({ op: 'close' });
    expect(fs.readdirSync(path.join(folder, 'journal'))).to.deep.equal([]);
    restart();
    expectOnce(() => ['e0', 'e1', 'e2']);
  });

  it('are so after kill -9 in the middle of that, with a seal that was stored and of which nobody heard', () => {
    for (let n = 0; n < MANY / 3; n++) probe.writer.loading.replayNext();
    track(probe, [event(9)], 'prj_0'); // not sealed again
    restart({ run: (_tenant, file, task) => void outcomeOf(file, task), close: (done) => done() });
    probe.writer.loading.replayNext();
    track(probe, [event(9)], 'prj_1');
    restart();
    for (const project of PROJECTS) track(probe, [event(0), event(1), event(2), event(9), event(10)], project);
    restart();
    expectOnce(() => ['e0', 'e1', 'e2', 'e9', 'e10']);
  });

  it('stay in the journal at the end of the service, and are answered by the next', () => {
    for (const project of PROJECTS) track(probe, [event(9)], project);
    probe.ask({ op: 'close' });
    expect(sealed()).to.deep.equal([]);
    restart();
    expectOnce(() => ['e0', 'e1', 'e2', 'e9']);
  });

  it('are found where the journal is rewritten without a user or a project, of whom no byte is left', () => {
    track(probe, [event(9, 'zebra')], 'prj_5');
    track(probe, [event(9, 'zebra')], 'prj_6');
    restart();
    expect(probe.erase('zebra', 'prj_5')).to.deep.include({ events: 1 });
    probe.ask({ op: 'drop', project: 'prj_6' });
    expect(bytesWith('zebra')).to.deep.equal([]);
    expect(sealed()).to.deep.equal(['prj_5']);
    expect(arrived('prj_8'), 'whose records stand elsewhere now').to.deep.equal(['e0', 'e1', 'e2']);
    restart();
    expect(bytesWith('prj_6')).to.deep.equal([]);
    expectOnce((project) => (project === 'prj_6' ? [] : ['e0', 'e1', 'e2']));
  });

  it('are found where the one behind has taken the place of the one before, byte for byte', () => {
    folder = temporaryFolder();
    probe = new WriterProbe(folder);
    for (const project of ['prj_0', 'prj_1', 'prj_3']) track(probe, [event(0)], project);
    for (let n = 0; n < REQUESTS; n++) track(probe, [event(n)], 'prj_2');
    restart();
    probe.ask({ op: 'drop', project: 'prj_0' }); // a rewritten file has no gaps between its records
    expect(arrived('prj_3'), 'for which all are found anew').to.deep.equal(['e0']);
    probe.ask({ op: 'drop', project: 'prj_1' });
    expect(arrived('prj_2')).to.deep.equal(['e0', 'e1', 'e2']);
  });

  it('are told in usage, also those that nobody asks', () => {
    const stored = new Map(probe.usage().map(({ project, counts }) => [project, counts.stored]));
    expect(stored).to.deep.equal(new Map(PROJECTS.map((project) => [project, REQUESTS])));
  });

  it('are damaged one by one: the others are taken up, and its records stay', () => {
    fs.mkdirSync(path.dirname(shardPath(folder, 'prj_4')), { recursive: true });
    fs.writeFileSync(shardPath(folder, 'prj_4'), 'this is no shard'.repeat(1_000));
    while (probe.writer.loading.replayNext());
    const troubles = probe.replies.flatMap((reply) => (reply.op === 'trouble' ? [[reply.what, reply.project, AppError.from(reply.error).data.code]] : [])); // prettier-ignore
    expect(troubles).to.deep.equal([['replay', 'prj_4', 'shard_damaged']]);
    expect(() => probe.snapshot('prj_4')).to.throw('shard_damaged');
    fs.rmSync(shardPath(folder, 'prj_4'));
    restart();
    expectOnce(() => ['e0', 'e1', 'e2']);
  });

  it('are taken a slice at a time, while others are acknowledged and its own messages wait', () => {
    setThresholds('least', ['milliseconds of a slice']);
    try {
      probe.stepwise = true;
      const asked = (id: number): boolean => probe.replies.some((reply) => reply.op === 'done' && reply.answers.some((answer) => answer.id === id)); // prettier-ignore
      probe.process([{ op: 'snapshot', id: 1_000, project: 'prj_0' }]);
      expect([asked(1_000), probe.writer.isReady]).to.deep.equal([false, true]);
      probe.process([{ op: 'extent', id: 1_001, project: 'prj_0' }, { op: 'catalog', id: 1_002, project: { ...PROJECT, id: 'prj_none' } }]); // prettier-ignore
      until(probe, 1_002);
      expect([asked(1_001), asked(1_002)]).to.deep.equal([false, true]);
      while (probe.writer.isReady) probe.turns(1);
      expect([asked(1_000), asked(1_001)]).to.deep.equal([true, true]);
      probe.stepwise = false;
    } finally {
      setThresholds('usual', ['milliseconds of a slice']);
    }
    expect(arrived('prj_0')).to.deep.equal(['e0', 'e1', 'e2']);
  });
});
