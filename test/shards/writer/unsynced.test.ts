import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import type { AppendMessage } from '../../../lib/shards/writer-messages.ts';
import { UnsyncedShards } from '../../../lib/shards/writer/unsynced-shards.ts';
import { track } from '../../support/bench.ts';
import { NOW, PROJECT, rowsOf, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const event = (n: number): object => ({ event_type: `e${n}`, user_id: `u${n}`, insert_id: `id-${n}` });
const types = (probe: WriterProbe): string[] => rowsOf(probe.snapshot()).map(({ type }) => type).sort(); // prettier-ignore
const journal = (folder: string): string[] => fs.readdirSync(path.join(folder, 'journal')).filter((name) => name.endsWith('.log')); // prettier-ignore

const OTHER = 'prj_other';
const appendTo = (project: string): AppendMessage => ({
  ...{ op: 'append', id: -1, kind: 'track', project: { ...PROJECT, id: project }, encoding: 'identity' },
  context: { receivedAt: NOW, keyKind: 'trusted', ip: null, userAgent: null, place: null },
  body: new Uint8Array(Buffer.from(JSON.stringify(event(2)))),
});

/** What is on disk after the machine crashes: nothing unsynced of shards' logs. */
function crashed(folder: string): string {
  const copy = temporaryFolder();
  fs.cpSync(folder, copy, { recursive: true, filter: (file) => !/-(wal|shm)$/.test(file) });
  return copy;
}

describe('a shard that was sealed for a question', () => {
  it('does not wait for the disk, and a crash of the machine loses nothing of it, nor doubles it', () => {
    const folder = temporaryFolder();
    const probe = new WriterProbe(folder);
    for (const n of [1, 2]) {
      track(probe, [event(n)], PROJECT.id);
      expect(types(probe)).to.have.length(n);
    }
    track(probe, [event(2), event(3)], PROJECT.id);
    const after = new WriterProbe(crashed(folder));
    track(after, [event(1), event(3), event(4)], PROJECT.id);
    expect(types(after)).to.deep.equal(['e1', 'e2', 'e3', 'e4']);
    expect(types(new WriterProbe(folder)), 'after kill -9').to.deep.equal(['e1', 'e2', 'e3']);
  });

  it('waits for requests of its own project, and for no others that are on their way to the disk', () => {
    const probe = new WriterProbe(temporaryFolder());
    for (const project of [PROJECT.id, OTHER]) track(probe, [event(1)], project);
    probe.more = true; // else a fast disk is waited for at once, and nothing is on its way
    /** What is answered first: an event (-1), or a question after it (-2). */
    const first = (asked: string): number | undefined => {
      const messages = [appendTo(OTHER), { op: 'snapshot', id: -2, project: asked }] as const;
      probe.replies.length = 0;
      probe.process(messages);
      return probe.replies.flatMap((reply) => (reply.op === 'done' ? reply.answers.map(({ id }) => id) : []))[0];
    };
    // A request that takes unusually long to read goes to the disk at once.
    expect(Array.from({ length: 50 }, () => first(PROJECT.id))).to.include(-2);
    expect(Array.from({ length: 50 }, () => first(OTHER))).to.not.include(-2);
  });

  it('needs the journal until the disk has it', async () => {
    const folder = temporaryFolder();
    const probe = new WriterProbe(folder, { journalBytes: 8 << 10 });
    for (const n of [1, 2, 3, 4]) track(probe, [event(n)], PROJECT.id);
    const before = journal(folder);
    expect(types(probe)).to.have.length(4);
    expect([before.length > 1, journal(folder)]).to.deep.equal([true, before]);
    while (journal(folder).length > 1) await turn();
    expect(types(new WriterProbe(crashed(folder)))).to.deep.equal([]); // due to this test: the events are in the log
    probe.ask({ op: 'close' });
    expect(journal(folder)).to.deep.equal([]);
    expect(types(new WriterProbe(crashed(folder)))).to.deep.equal(['e1', 'e2', 'e3', 'e4']);
  });

  it('keeps it where the disk fails, and is synced again', async () => {
    const folder = temporaryFolder();
    const broken = path.join(folder, 'no-folder');
    fs.writeFileSync(broken, '');
    const told: unknown[] = [];
    const heard = new EventTarget();
    const tell = (what: unknown): void => void (told.push(what), heard.dispatchEvent(new Event('told')));
    const fileOf = (project: string): string => path.join(broken, project);
    const shards = new UnsyncedShards({ fileOf, synced: tell, failed: (project) => tell(project) });
    const failed = once(heard, 'told');
    shards.add('prj_a', 7);
    await failed;
    expect([told, shards.neededFile]).to.deep.equal([['prj_a'], 7]);
    fs.rmSync(broken);
    const synced = once(heard, 'told');
    shards.add('prj_a', 9);
    await synced;
    expect([told, shards.neededFile]).to.deep.equal([['prj_a', 7], Infinity]);
  });
});
