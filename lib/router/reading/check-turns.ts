/**
 * Whose dashboard is checked next: organizations take turns, so that whoever has many slow ones waits for them and nobody else does.
 */
import { AppError } from '../../base/errors.ts';
import { monotonic } from '../../base/monotonic.ts';
import { TaskTurns } from '../../base/task-turns.ts';

/** Waiting checks, each with its text: of all, and of one organization. */
const MAX_WAITING = { all: 32, organization: 4 };

export class CheckTurns extends TaskTurns {
  /** Refuses with AppError `overloaded` when too many are waiting. @param now Milliseconds, for tests. */
  constructor(now = monotonic) {
    super({
      atOnce: { all: 1 },
      waiting: MAX_WAITING,
      refusal: (by) =>
        new AppError(
          'overloaded',
          by === 'organization'
            ? 'Too many dashboards of the organization are waiting to be checked.'
            : 'Too many dashboards are being checked.',
        ),
      now,
    });
  }
}
