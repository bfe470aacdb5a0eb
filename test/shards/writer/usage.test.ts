import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { monotonic } from '../../../lib/base/monotonic.ts';
import { shardPath } from '../../../lib/shards/file/shard-file.ts';
import type { Counts } from '../../../lib/shards/file/usage-counters.ts';
import type { WriterMessage } from '../../../lib/shards/writer-messages.ts';
import { setThresholds } from '../../../lib/base/threshold.ts';
import { NOW, PROJECT, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const BEFORE_MIDNIGHT = Date.UTC(2026, 4, 31, 23, 59, 59, 999);
const AFTER_MIDNIGHT = BEFORE_MIDNIGHT + 1;

/** What a writer reports when it opens a folder: days by date. */
function toldAtStart(folder: string): Record<string, Counts> {
  const probe = new WriterProbe(folder);
  const days: Record<string, Counts> = {};
  for (const { project, date, counts } of probe.usage()) if (project === PROJECT.id) days[date] = counts;
  return days;
}

/** The folder as a kill at this moment would leave it. */
function killedCopy(folder: string): string {
  const copy = temporaryFolder();
  fs.cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

describe('usage of a project', () => {
  afterEach(() => setThresholds('usual'));

  const event = (n: number): object => ({ event_type: 'e', insert_id: `id ${n}` });

  it('is the same after a kill at any moment: of what was accepted, stored, rejected and sent twice, on both sides of midnight', () => {
    const folder = temporaryFolder();
    const probe = new WriterProbe(folder);
    const expected: Record<string, Partial<Counts>> = {};
    const none = { ingested: 0, stored: 0, rejected: 0, duplicate: 0 };
    const count = (date: string, more: Partial<typeof none>): void => {
      const day = { ...none, ...expected[date] };
      for (const [key, value] of Object.entries(more) as [keyof typeof none, number][]) day[key] += value;
      expected[date] = day;
    };
    const check = (moment: string): void => {
      const told = toldAtStart(killedCopy(folder));
      for (const [date, counts] of Object.entries(expected))
        expect(told[date], `${moment}, ${date}`).to.include(counts);
      expect(Object.keys(told), moment).to.have.members(Object.keys(expected));
    };
    for (const [round, at] of [BEFORE_MIDNIGHT, AFTER_MIDNIGHT, BEFORE_MIDNIGHT, AFTER_MIDNIGHT].entries()) {
      const date = new Date(at).toISOString().slice(0, 10);
      probe.track([event(round * 2), event(round * 2 + 1), {}], at);
      count(date, { ingested: 2, stored: 2, rejected: 1 });
      check('after a batch');
      probe.track([event(round * 2)], at);
      count(date, { ingested: 1, duplicate: 1 });
      check('after a batch of duplicates');
      probe.track([{}, 5, null], at);
      count(date, { rejected: 3 });
      check('after a batch of which nothing is valid');
      const lines = `{"user_id":"u"}\n{"user_id":" "}\n`;
      expect(probe.append('identify_lines', lines, at)).to.include({ accepted: 1, rejected: 1 });
      check('after a profile, and one that is wrong: they are no events');
      if (round % 2 === 1) probe.snapshot();
      check('after a seal');
    }
  });

  it('is told soon after the start of what was sealed a moment before a kill, though nobody asks for the projects', () => {
    const folder = temporaryFolder();
    const probe = new WriterProbe(folder);
    const projects = Array.from({ length: 11 }, (_, i) => `prj_${i}`);
    for (const project of projects) {
      probe.track([event(1)], NOW, project);
      probe.snapshot(project);
    }
    const copy = killedCopy(folder);
    fs.rmSync(path.join(copy, 'journal'), { recursive: true }); // everything is sealed
    const shards = path.join(copy, 'shards');
    for (const name of fs.readdirSync(shards)) {
      const i = Number(/\d+/.exec(name)?.[0]);
      const changed = i === 0 ? 0 : Date.now() / 1000 - 100 + i; // the first one long before the end
      fs.utimesSync(path.join(shards, name), changed, changed);
    }
    const next = new WriterProbe(copy);
    next.ask({ op: 'drop', project: 'prj_5' });
    next.ask({ op: 'freeze', project: 'prj_9' });
    const told = (): string[][] => next.replies.flatMap((reply) => (reply.op === 'usage' ? [reply.days.map(({ project }) => project)] : [])); // prettier-ignore
    while (!told().flat().includes('prj_1')) expect(next.writer.usageReport.late()).to.equal(true);
    next.ask({ op: 'thaw', project: 'prj_9' });
    while (next.writer.usageReport.late());
    const days = next.replies.flatMap((reply) => (reply.op === 'usage' ? reply.days : []));
    const late = days.slice(-9).map(({ project, counts }) => [project, counts.stored]);
    expect(late).to.deep.equal(['10', '8', '7', '6', '4', '3', '2', '1', '9'].map((n) => [`prj_${n}`, 1]));
    expect(days.map(({ project }) => project))
      .to.include('prj_9')
      .and.not.include('prj_0');
    expect(
      told()
        .slice(-9)
        .map(({ length }) => length),
    ).to.deep.equal(Array.from({ length: 9 }, () => 1)); // one at a time
    expect(fs.existsSync(path.join(shards, 'prj_5.db')), 'not made anew').to.equal(false);
  });

  it('is looked for a slice of time at a time, and what is stored meanwhile hides nothing that is older', () => {
    const folder = temporaryFolder();
    const probe = new WriterProbe(folder);
    for (const project of ['prj_1', 'prj_2']) {
      probe.track([event(1)], NOW, project);
      probe.snapshot(project);
    }
    probe.ask({ op: 'close' });
    const hour = Date.now() / 1000 - 3_600;
    for (const project of ['prj_1', 'prj_2']) fs.utimesSync(shardPath(folder, project), hour, hour);
    setThresholds('least', ['milliseconds of a slice']);
    const next = new WriterProbe(folder);
    next.track([event(1)], NOW, 'prj_new');
    const later = Date.now() / 1000 + 1;
    fs.utimesSync(next.snapshot('prj_new').file, later, later);
    next.tick(monotonic());
    next.replies.splice(0);
    expect([next.writer.usageReport.late(), next.replies]).to.deep.equal([true, []]);
    while (next.writer.usageReport.late());
    const days = next.replies.flatMap((reply) => (reply.op === 'usage' ? reply.days : []));
    expect(days.map(({ project }) => project)).to.have.members(['prj_1', 'prj_2']);
  });

  it('is told with the bytes of what was just stored', () => {
    const probe = new WriterProbe(temporaryFolder());
    probe.track(Array.from({ length: 1_000 }, (_, n) => ({ ...event(n), event_properties: { text: `${'x'.repeat(500)}${Math.sin(n)}` } }))); // prettier-ignore
    const { file } = probe.snapshot();
    const bytes = probe.usage().at(-1)?.bytes ?? 0;
    expect(bytes).to.be.at.least(fs.statSync(`${file}-wal`).size);
    expect(bytes).to.be.above(fs.statSync(file).size);
  });

  it('is told before a project is dropped', () => {
    const probe = new WriterProbe(temporaryFolder());
    probe.track([event(1)]);
    probe.ask({ op: 'drop', project: PROJECT.id });
    const days = probe.replies.flatMap((reply) => (reply.op === 'usage' ? reply.days : []));
    expect(days.map(({ counts }) => counts.stored)).to.deep.equal([1]);
  });

  it('adds to days that were long over when the shard was read', () => {
    const folder = temporaryFolder();
    const day = 86_400_000;
    let probe = new WriterProbe(folder);
    for (let n = 0; n < 6; n++) probe.track([event(n)], BEFORE_MIDNIGHT + n * day);
    probe.ask({ op: 'close' });
    probe = new WriterProbe(folder);
    probe.track([event(9)], BEFORE_MIDNIGHT);
    const first = probe.usage().filter(({ date }) => date === '2026-05-31');
    expect(first.at(-1)?.counts.stored).to.equal(2);
  });

  it('counts what each of the requests stored that shared a sync of the disk', () => {
    const probe = new WriterProbe(temporaryFolder());
    const append = (id: number, events: readonly object[]): WriterMessage => ({
      ...{ op: 'append', id, kind: 'track', project: PROJECT, encoding: 'identity' },
      body: new Uint8Array(Buffer.from(JSON.stringify({ events }))),
      context: { receivedAt: AFTER_MIDNIGHT, keyKind: 'trusted', ip: null, userAgent: null, place: null },
    });
    probe.process([append(101, [event(1), event(2)]), append(102, [event(3)]), append(103, [event(3), event(4)])]);
    probe.snapshot();
    expect(probe.usage().at(-1)?.counts).to.include({ ingested: 5, stored: 4, duplicate: 1 });
  });
});
