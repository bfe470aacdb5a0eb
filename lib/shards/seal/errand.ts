/** What a request that is being taken has another thread do: its own project waits for it, others go on. */
import { AppError } from '../../base/errors.ts';
import type { Outcome } from './storer.ts';
import type { StoreResults, StoreTask, TaskOf } from './store-tasks.ts';

/** A step that ends with one goes on when its outcome is known. */
export interface Errand {
  readonly task: StoreTask;
  outcome: Outcome | null;
}

/** Work in steps of some microseconds, each of which ends where others may be served, or have to be while an errand is done. */
export type Steps<T> = Generator<Errand | undefined, T, undefined>;

/** What the task gives. Throws what went wrong with it. */
export function* elsewhere<Op extends StoreTask['op']>(task: TaskOf<Op>): Steps<StoreResults[Op]> {
  const errand: Errand = { task, outcome: null };
  yield errand;
  const { outcome } = errand;
  if (outcome === null) throw new Error(`a request went on before its ${task.op} was done`);
  if (!outcome.ok) throw thrownBy(outcome);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the task gives
  return outcome.value as StoreResults[Op];
}

/** What went wrong elsewhere, as it is thrown here. */
export const thrownBy = ({ error }: Extract<Outcome, { ok: false }>): Error =>
  'bug' in error ? new Error(error.bug) : AppError.from(error);
