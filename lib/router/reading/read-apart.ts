/**
 * Reads what strangers write in a separate thread, so that it cannot use up the server's time or memory: dashboards, alerts, cohorts, and queries that
 * are long or have regular expressions. A thread that does not come to an end is ended.
 */
import type { CheckedAlert } from '../../alerts/check.ts';
import { AppError, codeOf } from '../../base/errors.ts';
import type { Tenant } from '../../base/project.ts';
import { threadFile } from '../../base/thread-file.ts';
import { ThreadPool } from '../../base/thread-pool.ts';
import { atStart, type Problem } from '../../dashboards/problem.ts';
import { QueryError } from '../../dsl/errors.ts';
import type { QueryText, Read } from '../../dsl/read.ts';
import type { SegmentBody, Translated } from './segment-calls.ts';
import type { CheckedJson, ReadingReply, ReadingTask, Refused, Text } from './reading-thread.ts';
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
export async function checkApart(tenant: Tenant, yaml: string): Promise<CheckedJson> {
  const reply = await checkText(tenant, { kind: 'dashboard', yaml });
  if (Array.isArray(reply)) return { dashboard: null, problems: reply };
  if (reply.kind !== 'checked') throw new Error(`a dashboard was answered with ${reply.kind}`);
  return reply.checked;
}

/** Like `checkAlert`. Rejects with AppError `overloaded` when too many are waiting. */
export async function checkAlertApart(tenant: Tenant, yaml: string): Promise<CheckedAlert> {
  const reply = await checkText(tenant, { kind: 'alert', yaml });
  if (Array.isArray(reply)) return { alert: null, problems: reply };
  if (reply.kind !== 'checked_alert') throw new Error(`an alert was answered with ${reply.kind}`);
  return reply.checked;
}

/** The reply, or the problem of a file that takes too much to check. */
function checkText(tenant: Tenant, text: Text): Promise<ReadingReply | Problem[]> {
  return turns.run(tenant, async () => {
    // Includes starting the thread. A large dashboard takes a tenth of it.
    const signal = AbortSignal.timeout(10_000);
    try {
      return await readText(text, signal);
    } catch (error) {
      if (signal.aborted) return [tooMuch('time')];
      if (isOutOfMemory(error)) return [tooMuch('memory')];
      throw error;
    }
  });
}

/** Like `readCohort`. Rejects with AppError `overloaded` when too many are waiting. */
export function readCohortApart(tenant: Tenant, where: string): Promise<readonly string[]> {
  return turns.run(tenant, async () => {
    const signal = AbortSignal.timeout(10_000);
    try {
      const reply = orThrow(where, await readText({ kind: 'cohort', where }, signal));
      if (reply.kind !== 'cohort') throw new Error(`a cohort was answered with ${reply.kind}`);
      return reply.uses;
    } catch (error) {
      if (signal.aborted || isOutOfMemory(error)) throw new AppError('bad_query', 'Reading the condition takes too long or too much memory: make it smaller.'); // prettier-ignore
      throw error;
    }
  });
}

/** Like `readQuery`. Rejects, too, when the signal is aborted and the thread ended. */
export async function readQueryApart(query: QueryText, signal: AbortSignal): Promise<Read> {
  const reply = await readText({ kind: 'query', query }, signal).catch((error: unknown) => {
    throw isOutOfMemory(error) ? new AppError('bad_query', 'Reading the query takes too much memory: make it smaller.') : error; // prettier-ignore
  });
  const read = orThrow(query.q, reply);
  if (read.kind !== 'read' && read.kind !== 'asks_earliest' && read.kind !== 'asks_cohorts')
    throw new Error(`a query was answered with ${read.kind}`);
  return read;
}

/** Throws what reading a text has thrown. */
function orThrow(text: string, reply: ReadingReply): Exclude<ReadingReply, Refused> {
  if (reply.kind === 'mistake')
    throw new QueryError(text, reply.mistake.position, reply.mistake.sentence, reply.mistake);
  if (reply.kind === 'error') throw AppError.from(reply.error);
  return reply;
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

const tooMuch = (what: string): Problem => atStart(`Checking it takes too much ${what}: make it smaller.`);
