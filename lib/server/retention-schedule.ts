/** Begins shorter retentions a day after they were asked for, whichever node is first. */
import type { ControlDatabase } from '../control/database.ts';
import { monotonic } from '../base/monotonic.ts';
import type { Log } from '../base/log.ts';
import { Recurring } from '../base/recurring.ts';

interface Parts {
  readonly control: Pick<ControlDatabase, 'projects'>;
  readonly log: Log;
  /** The clock that somebody may set, and the one that nobody does, for tests. */
  readonly now?: () => number;
  readonly since?: () => number;
}

export function retentionSchedule({ control, log, now = Date.now, since = monotonic }: Parts): Recurring {
  const started = now() - since();
  return new Recurring({
    every: 30_000,
    // Events that are gone do not come back, so a clock that is set forward while the service runs begins nothing early.
    act: () => control.projects.retention.begin(Math.min(now(), started + since())),
    onTrouble: (error) => log.error({ err: error }, 'shorter retentions that are due cannot begin; it will be retried'),
  });
}
