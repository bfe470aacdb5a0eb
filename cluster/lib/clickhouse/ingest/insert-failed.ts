/** An insert failed, or its answer did not come. Whoever holds a project keeps it until the insert is over (project-lock.ts). */
export class InsertFailed extends Error {
  /** For who waits for an answer. */
  readonly reason: unknown;
  /** Resolves once nothing of it can be stored any more; what was, can be read by then. */
  readonly over: Promise<void>;

  constructor(reason: unknown, over: Promise<void>) {
    super('an insert failed', { cause: reason });
    this.reason = reason;
    this.over = over;
  }
}

/** What is told of an error, whether it is of an insert or not. */
export const reasonOf = (error: unknown): unknown => (error instanceof InsertFailed ? error.reason : error);
