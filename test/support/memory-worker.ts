/**
 * A query thread over shards in memory, for tests of the engine. A project's name selects its behaviour: `prj_stuck` never
 * returns from its first segment, `prj_slow` is slow in each of its many segments, `prj_dies` ends its thread, `prj_hungry` fills
 * its thread's heap, `prj_long` makes a text longer than any may be, `prj_dies_once` ends only the first thread to read it, `prj_wide` has a new person and text in every row;
 * others have a few plain rows.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Segment, ShardReader, Snapshot, ShardAtRest } from '../../lib/shards/shard-reader.ts';
import type { Task, ThreadReply } from '../../lib/workers/pool/protocol.ts';
import { TaskRunner } from '../../lib/workers/pool/task-runner.ts';
import type { ProfileDictionaries } from '../../lib/workers/rows/profile-dictionaries.ts';
import { dictionariesOf } from './dictionaries-of.ts';
import { projectShard } from './memory-projects.ts';

/** Milliseconds that a segment of `prj_slow` takes. */
const SLOWNESS = 5;

const shards = {
  cacheBytes: 0,
  atRest: ({ project }: ShardAtRest): Snapshot => projectShard(project).snapshot(project),
  reader: ({ project }: Snapshot): ShardReader => readerOf(project),
  profiles: ({ project }: Snapshot): ProfileDictionaries => dictionariesOf([], projectShard(project).ids()),
  forget: (): void => undefined,
  leaveRoom: (): void => undefined,
};
const thread = new TaskRunner(shards);

// oxlint-disable-next-line import/no-default-export -- Piscina calls the default export
export default function run(task: Task): ThreadReply {
  return thread.handle(task).answer;
}

function readerOf(project: string): ShardReader {
  const shard = projectShard(project);
  const behaviour = behaviourOf(project);
  return behaviour === null
    ? shard
    : {
        segment: (id): Segment => {
          behaviour();
          return shard.segment(id);
        },
        ids: () => shard.ids(),
        eventTypes: () => shard.eventTypes(),
        names: () => null,
        sharedDictionary: (key) => shard.sharedDictionary(key),
        identity: (version) => shard.identity(version),
        boundAt: () => shard.boundAt(),
        profiles: () => shard.profiles(),
      };
}

function behaviourOf(project: string): (() => void) | null {
  if (project.startsWith('prj_stuck')) return () => hold(Infinity);
  if (project.startsWith('prj_slow')) return () => hold(SLOWNESS);
  if (project.startsWith('prj_dies_once')) return () => dieOnce(project);
  if (project.startsWith('prj_dies')) return () => process.exit(1);
  if (project.startsWith('prj_hungry')) return fillHeap;
  if (project.startsWith('prj_long')) return () => void 'x'.repeat(2 ** 30 - 1);
  return null;
}

function dieOnce(project: string): void {
  const mark = join(tmpdir(), `windlass-${process.pid}-${project}`);
  if (existsSync(mark)) return;
  writeFileSync(mark, '');
  process.exit(1);
}

function fillHeap(): void {
  const held: object[] = [];
  for (;;) held.push({ at: held.length });
}

/** Blocks the thread as if busy, without slowing other tests. */
function hold(ms: number): void {
  const never = new Int32Array(new SharedArrayBuffer(4));
  const until = performance.now() + ms;
  while (performance.now() < until) Atomics.wait(never, 0, 0, SLOWNESS);
}
