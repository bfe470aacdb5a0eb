/** A query thread that cannot work, if it is the first one started in a process; later ones can. */
import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Task, ThreadReply } from '../../lib/workers/pool/protocol.ts';
import { TaskRunner } from '../../lib/workers/pool/task-runner.ts';

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
const thread = new TaskRunner(shards);

// oxlint-disable-next-line import/no-default-export -- Piscina calls the default export
export default function run(task: Task): ThreadReply {
  const { answer } = thread.handle(task);
  if (!broken || task.kind !== 'probe') return answer;
  return { ...answer, reply: { kind: 'bug', message: "Cannot find module 'bindings'", stack: '' } };
}
