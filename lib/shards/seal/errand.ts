/** What a request being read has another thread do: its own project waits for it, others continue. */
import { AppError } from '../../base/errors.ts';
import type { Outcome } from '../storer.ts';
import type { FileTask, StoreResults } from './store-tasks.ts';

/** A step that yields one continues once its outcome is set. */
export interface Errand {
  readonly task: FileTask;
  outcome: Outcome | null;
}

/** Work in steps of some microseconds. Between steps others may be served, and must be while an errand is running. */
export type Steps<T> = Generator<Errand | undefined, T, undefined>;

/** Runs steps that have no errands without a pause. */
export function whole<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Returns the task's result, or throws its error. */
export function* elsewhere<Op extends FileTask['op']>(
  task: Extract<FileTask, { readonly op: Op }>,
): Steps<StoreResults[Op]> {
  const errand: Errand = { task, outcome: null };
  yield errand;
  const { outcome } = errand;
  if (outcome === null) throw new Error(`a request went on before its ${task.op} was done`);
  if (!outcome.ok) throw thrownBy(outcome);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the task gives
  return outcome.value as StoreResults[Op];
}

/** An error of the other thread, to be thrown here. */
export const thrownBy = ({ error }: Extract<Outcome, { ok: false }>): Error =>
  'bug' in error ? new Error(error.bug) : AppError.from(error);
