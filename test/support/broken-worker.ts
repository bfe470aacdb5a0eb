/** A query thread that cannot work, if it is the first one started in a process; later ones can. */
import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workerData } from 'piscina';
import type { Reply, Task, ThreadOptions } from '../../lib/workers/pool/protocol.ts';
import { TaskRunner } from '../../lib/workers/pool/task-runner.ts';

const options: ThreadOptions = workerData;
const mark = join(tmpdir(), `windlass-${process.pid}-broken`);
const broken = !existsSync(mark);
writeFileSync(mark, '');
const missing = (): never => {
  throw new Error("Cannot find module 'bindings'");
};
const shards = {
  cacheBytes: 0,
  atRest: missing,
  reader: missing,
  profiles: missing,
  forget: () => undefined,
  leaveRoom: () => undefined,
};
const thread = new TaskRunner(shards, new Int32Array(options.control));

// oxlint-disable-next-line import/no-default-export -- Piscina calls the default export
export default function run(task: Task): Reply {
  if (broken && task.kind === 'probe') return { kind: 'bug', message: "Cannot find module 'bindings'", stack: '' };
  return thread.handle(task).reply;
}
