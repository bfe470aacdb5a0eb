/** A writer whose store thread is played by a test, and messages to it and answers without waiting. */
import type { TaskOutcome, Storing } from '../../lib/shards/storer.ts';
import type { StoreTask } from '../../lib/shards/seal/store-tasks.ts';
import type { WriterMessage } from '../../lib/shards/writer-messages.ts';
import { NOW, outcomeOf, PROJECT, type WriterProbe } from './shard-rows.ts';

/** Keeps a writer's tasks until a test runs them. */
export class Bench implements Storing {
  readonly tasks: { readonly file: string; readonly task: StoreTask; readonly done: (outcome: TaskOutcome) => void }[] =
    [];
  closed = false;

  run(...[, file, task, done]: Parameters<Storing['run']>): void {
    this.tasks.push({ file, task: structuredClone(task), done }); // as a thread would get it
  }

  close(done: () => void): void {
    this.closed = true;
    done();
  }

  /** Runs the oldest task. */
  next(probe: WriterProbe): void {
    const { file, task, done } = this.tasks.shift()!;
    done(outcomeOf(file, task));
    flush(probe);
  }

  /** What the disk took of the oldest task, it says that it did not take. */
  failOnceDone(probe: WriterProbe): void {
    const [{ file, task }] = this.tasks as [(typeof this.tasks)[0]];
    outcomeOf(file, task);
    this.fail(probe);
  }

  fail(probe: WriterProbe): void {
    this.tasks.shift()!.done({ ok: false, error: { code: 'storage_unavailable', message: 'full', hints: [] } });
    flush(probe);
  }
}

let next = 1_000_000;

/** Sends the writer a message without waiting for the answer; returns the message's number. */
export function tell(probe: WriterProbe, message: Partial<WriterMessage> & { op: WriterMessage['op'] }): number {
  const id = next++;
  probe.process([{ project: PROJECT.id, ...message, id } as WriterMessage]);
  return id;
}

export function track(probe: WriterProbe, sent: readonly object[], project: string = PROJECT.id): number {
  const id = begin(probe, sent, project);
  flush(probe);
  return id;
}

/** Like `track`, without waiting for the disk. */
export function begin(probe: WriterProbe, sent: readonly object[], project: string = PROJECT.id): number {
  return tell(probe, {
    ...{ op: 'append', kind: 'track', project: { ...PROJECT, id: project }, encoding: 'identity' },
    body: new Uint8Array(Buffer.from(JSON.stringify({ events: sent }))),
    context: { receivedAt: NOW, keyKind: 'trusted', ip: null, userAgent: null, place: null },
  });
}

/** Waits for the disk. */
export function flush(probe: WriterProbe): void {
  until(probe, tell(probe, { op: 'device', project: { ...PROJECT, id: 'prj_nobody' }, deviceId: 'd' }));
}

/** Gives turns until a message is answered, but not for ever. */
export function until(probe: WriterProbe, id: number): void {
  for (let left = 50; left > 0 && probe.writer.isReady && answerTo(probe, id) === undefined; left--) probe.turns(1);
}

/** The answer to a message; undefined: none yet. */
export function answerTo(
  probe: WriterProbe,
  id: number,
): { ok: boolean; value?: unknown; error?: unknown } | undefined {
  return probe.replies.flatMap((reply) => (reply.op === 'done' ? reply.answers : [])).find((one) => one.id === id);
}
