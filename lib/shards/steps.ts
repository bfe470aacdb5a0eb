/** Reading in steps, some of which another thread takes: the project waits for it, others continue. */
import { AppError } from '../base/errors.ts';
import { readJsonSource } from './ingest/normalise/read-json-body.ts';
import { answerOf } from './seal/answers.ts';
import type { TaskOutcome } from './storer.ts';
import type { FileTask, StoreResults } from './seal/store-tasks.ts';

/** A task of the store thread. A step that yields one continues once its outcome is set. */
export interface StoreCall {
  readonly task: FileTask;
  outcome: TaskOutcome | null;
}

/** Work in steps of some microseconds. Between steps others may be served, and must be while a call is running. */
export type Steps<T> = Generator<StoreCall | undefined, T, undefined>;

/** Runs steps without a pause, with all that they need. @param run A task. */
export function whole<T>(steps: Steps<T>, run: (task: FileTask) => unknown = readHere): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (step.value) step.value.outcome = answerOf(0, () => run(step.value!.task));
  }
}

function readHere(task: FileTask): unknown {
  if (task.op !== 'read_json') throw new Error(`there is no thread for ${task.op}`);
  return readJsonSource(task.source);
}

/** Returns the task's result, or throws its error. */
export function* elsewhere<Op extends FileTask['op']>(
  task: Extract<FileTask, { readonly op: Op }>,
): Steps<StoreResults[Op]> {
  const call: StoreCall = { task, outcome: null };
  yield call;
  const { outcome } = call;
  if (outcome === null) throw new Error(`a request went on before its ${task.op} was done`);
  if (!outcome.ok) throw thrownBy(outcome);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the task gives
  return outcome.value as StoreResults[Op];
}

/** An error of the other thread, to be thrown here. */
export const thrownBy = ({ error }: Extract<TaskOutcome, { ok: false }>): Error =>
  'bug' in error ? new Error(error.bug) : AppError.from(error);
