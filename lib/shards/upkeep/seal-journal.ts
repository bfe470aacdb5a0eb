/** A writer's work on a data folder that nobody serves, done in this thread: seals what is in its journal. */
import { AppError } from '../../base/errors.ts';
import { failure } from '../seal/answers.ts';
import { JournalFolder } from '../journal/folder.ts';
import { runStoreTask } from '../seal/store-tasks.ts';
import type { Storing } from '../storer.ts';
import type { WriterAnswer, ReplaceMessage, UsageDay, WriterMessage, WriterReply } from '../writer-messages.ts';
import { Writer } from '../writer/writer.ts';

export interface SealJournalOptions {
  /** The data folder. */
  readonly folder: string;
  /** Rows of a large segment. */
  readonly segmentRows: number;
  readonly geoipFile: string | null;
  readonly onUsage: (day: UsageDay) => void;
}

/** As for a small service. Bodies were acknowledged under the limits of their time, so none applies now. */
const OPTIONS = {
  ...{ partition: 0, partitions: 1, bodyLimit: Infinity, batchLimit: Infinity, lineLimit: Infinity, openShards: 16 },
  ...{ dictionaryBytes: 256 << 20, projectDictionaryBytes: 128 << 20, pendingBytes: 64 << 20, journalBytes: 256 << 20 },
  ...{ sealRows: 1_000_000, sealBytes: 32 << 20, sealAge: 600_000, offline: true },
} as const;

/** Runs tasks in this thread, at once. */
const HERE: Storing = {
  run: (_tenant, file, task, done) => {
    try {
      if (task.op === 'replay') throw new Error('a journal that nobody serves is replayed here');
      done({ ok: true, value: runStoreTask(file, task) });
    } catch (error) {
      const answer = failure(0, error);
      if (!answer.ok) done(answer);
    }
  },
  close: (done) => done(),
};

/** Throws AppError if events of a project cannot be replayed; they stay in the journal. */
export function sealJournal(options: SealJournalOptions): void {
  const { troubles } = workOffline(options, []);
  if (troubles[0] !== undefined) throw troubles[0];
}

/** Replaces the file of a shard. Throws AppError `conflict`. Ignores damage in other projects. */
export function replaceOffline(options: SealJournalOptions, message: Omit<ReplaceMessage, 'id' | 'op'>): void {
  const { answers } = workOffline(options, [{ op: 'replace', id: 1, ...message }]);
  const answer = answers.find(({ id }) => id === 1);
  if (answer === undefined) throw new Error('a replacement was not answered');
  if (!answer.ok) throw asError(answer.error);
}

interface Done {
  /** Why something could not be replayed or sealed. */
  readonly troubles: readonly AppError[];
  readonly answers: readonly WriterAnswer[];
}

function workOffline({ onUsage, ...options }: SealJournalOptions, messages: readonly WriterMessage[]): Done {
  const journals = new JournalFolder(options.folder, OPTIONS.partitions);
  journals.prepare();
  const troubles: AppError[] = [];
  const answers: WriterAnswer[] = [];
  const post = (reply: WriterReply): void => {
    if (reply.op === 'usage') reply.days.forEach(onUsage);
    if ((reply.op === 'ready' || reply.op === 'trouble') && reply.error !== null)
      troubles.push(AppError.from(reply.error));
    if (reply.op === 'done') answers.push(...reply.answers);
  };
  const writer = new Writer({ ...OPTIONS, ...options }, { post, wake: () => undefined, storing: HERE });
  for (const message of [...messages, { op: 'close', id: 0 } as const]) writer.deliver(message);
  do writer.work();
  while (writer.isReady);
  const closed = answers.find(({ id }) => id === 0);
  if (closed?.ok === false) troubles.push(asError(closed.error));
  if (troubles.length === 0) journals.removeForeign();
  return { troubles, answers };
}

function asError(error: Parameters<typeof AppError.from>[0] | { readonly bug: string }): AppError {
  if ('bug' in error) throw new Error(error.bug);
  return AppError.from(error);
}
