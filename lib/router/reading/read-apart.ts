/**
 * Reads what strangers write in a separate thread, so that it cannot use up the server's time or memory: dashboards, and queries that
 * are long or have regular expressions. A thread that does not come to an end is ended.
 */
import { AppError, codeOf } from '../../base/errors.ts';
import type { Tenant } from '../../base/project.ts';
import { threadFile } from '../../base/thread-file.ts';
import { ThreadPool } from '../../base/thread-pool.ts';
import { atStart } from '../../dashboards/problem.ts';
import { QueryError } from '../../dsl/errors.ts';
import type { QueryText, Read } from '../../dsl/read.ts';
import type { SegmentBody, Translated } from './segment-calls.ts';
import type { CheckedJson, ReadingReply, ReadingTask, Text } from './reading-thread.ts';
import { TaskTurns, type TaskTurnsOptions } from '../../base/task-turns.ts';

const pool = new ThreadPool<ReadingTask, ReadingReply>({
  filename: threadFile(new URL('./reading-thread.js', import.meta.url)).href,
  maxThreads: 5, // queries of as many organizations are read at once (`EventLoopTurns`), and one dashboard is checked
  idleTimeout: 60_000, // threads that have nothing to read end: each holds some 15 MB
  resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
});

/**
 * Whose dashboard is checked next: organizations take turns, so that whoever has many slow ones waits for them and nobody else does.
 * Waiting checks are few, as each holds its text.
 */
export const CHECK_TURNS: TaskTurnsOptions = {
  atOnce: { all: 1 },
  waiting: { all: 32, organization: 4 },
  refusal: (by) =>
    new AppError(
      'overloaded',
      by === 'organization'
        ? 'Too many dashboards of the organization are waiting to be checked.'
        : 'Too many dashboards are being checked.',
    ),
};

const turns = new TaskTurns(CHECK_TURNS);

/** Like `checkDashboard`, to JSON. Rejects with AppError `overloaded` when too many are waiting. */
export function checkApart(tenant: Tenant, yaml: string): Promise<CheckedJson> {
  return turns.run(tenant, async () => {
    // Includes starting the thread. A large dashboard takes a tenth of it.
    const signal = AbortSignal.timeout(10_000);
    try {
      const reply = await readText({ kind: 'dashboard', yaml }, signal);
      if (reply.kind !== 'checked') throw new Error(`a dashboard was answered with ${reply.kind}`);
      return reply.checked;
    } catch (error) {
      if (signal.aborted) return tooMuch('time');
      if (isOutOfMemory(error)) return tooMuch('memory');
      throw error;
    }
  });
}

/** Like `readQuery`. Rejects, too, when the signal is aborted and the thread ended. */
export async function readQueryApart(query: QueryText, signal: AbortSignal): Promise<Read> {
  const reply = await readText({ kind: 'query', query }, signal).catch((error: unknown) => {
    throw isOutOfMemory(error) ? new AppError('bad_query', 'Reading the query takes too much memory: make it smaller.') : error; // prettier-ignore
  });
  switch (reply.kind) {
    case 'read':
    case 'asks_earliest':
      return reply;
    case 'mistake':
      throw new QueryError(query.q, reply.mistake.position, reply.mistake.sentence, reply.mistake);
    case 'error':
      throw AppError.from(reply.error);
    case 'checked':
    case 'translated':
      throw new Error(`a query was answered with ${reply.kind}`);
  }
}

/** Like `translate`. Rejects, too, when the signal is aborted and the thread ended. */
export async function translateApart(sent: SegmentBody, signal: AbortSignal): Promise<Translated> {
  const reply = await readText({ kind: 'segment', sent }, signal);
  if (reply.kind === 'translated') return reply.translated;
  throw reply.kind === 'error' ? AppError.from(reply.error) : new Error(`a call was answered with ${reply.kind}`);
}

/** Rejects once the signal is aborted and its thread has ended, which takes a moment, or with what the thread died of. */
export const readText = (text: Text, signal: AbortSignal): Promise<ReadingReply> => pool.run({ text }, { signal });

const isOutOfMemory = (error: unknown): boolean => codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY';

function tooMuch(what: string): CheckedJson {
  return { dashboard: null, problems: [atStart(`Checking the dashboard takes too much ${what}: make it smaller.`)] };
}
