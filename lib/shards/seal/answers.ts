/** A writer's answers, good and bad. */
import { AppError } from '../../base/errors.ts';
import { SEND_AGAIN, shardError } from '../file/shard-file.ts';
import type { WriterAnswer } from '../writer-messages.ts';

/** The answer to a message: what `run` returns, or its error. */
export function answerOf(id: number, run: () => unknown): WriterAnswer {
  try {
    return { id, ok: true, value: run() };
  } catch (error) {
    return failure(id, error);
  }
}

/** The answer for an error: one that users may see, or a bug with its stack for the log. */
export function failure(id: number, error: unknown): WriterAnswer {
  const told = shardError(error);
  if (told) return { id, ok: false, error: told.data };
  return { id, ok: false, error: { bug: error instanceof Error ? (error.stack ?? error.message) : String(error) } };
}

/** What `run` throws; null if nothing. */
export function errorOf(run: () => void): Error | null {
  try {
    run();
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Shards cannot be written to, so no more events can be accepted. */
export function stuck(): AppError {
  return new AppError(
    'storage_unavailable',
    'the server cannot write events to its shards at the moment; nothing of this request was stored',
    SEND_AGAIN,
  );
}

/** The same for one project; others can be written to. */
export function stuckAlone(): AppError {
  return new AppError(
    'shard_damaged',
    'the server cannot write to the data of this project at the moment; nothing of this request was stored',
    SEND_AGAIN,
  );
}

/** For a request whose bytes would be too many beside those that wait. */
export function tooMuchWaiting(): AppError {
  return new AppError('overloaded', 'too many events are waiting on the server; nothing of this request was stored', {
    hints: ['Wait and send the same request again; larger batches, sent less often, cost the server less.'],
  });
}
