/** Puts shards in place that `wl admin restore --project` has prepared, while everything else runs. */
import fs from 'node:fs';
import { removeStaged, shardAside, stagedShard } from '../backup/place-project.ts';
import type { ControlDatabase } from '../control/database.ts';
import type { Replacement } from '../control/operator/replacements.ts';
import { AppError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { Recurring } from '../base/recurring.ts';
import type { EventStore } from '../store/event-store.ts';

interface Parts {
  readonly data: string;
  readonly control: Pick<ControlDatabase, 'operator'>;
  readonly store: Pick<EventStore, 'replace'>;
  readonly log: Log;
}

export class ShardReplacements {
  readonly #parts: Parts;
  readonly #looks: Recurring;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#looks = new Recurring({
      every: 500,
      act: () => this.#takeAll(),
      onTrouble: (error) =>
        parts.log.error({ err: error }, 'restored projects cannot be looked up or put in place; it will be retried'),
    });
  }

  /** Takes what an earlier run did not get to, and removes what nobody wants any more. */
  async watch(): Promise<void> {
    const { data, control } = this.#parts;
    const waiting = await control.operator.replacements.waiting();
    removeStaged(
      data,
      waiting.map(({ projectId }) => projectId),
    );
    this.#looks.start();
  }

  /** Resolves when the running one is done. */
  close(): Promise<void> {
    return this.#looks.close();
  }

  async #takeAll(): Promise<void> {
    for (const replacement of await this.#parts.control.operator.replacements.waiting()) await this.#take(replacement);
  }

  async #take({ projectId, force }: Replacement): Promise<void> {
    const { data, control, store, log } = this.#parts;
    const { replacements } = control.operator;
    const staged = stagedShard(data, projectId);
    if (!fs.existsSync(staged)) return replacements.tell(projectId, gone().data);
    try {
      await store.replace(projectId, { staged, aside: shardAside(data, projectId), force });
      log.info({ project: projectId }, 'a project was restored from a backup');
      await replacements.tell(projectId, null);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      fs.rmSync(staged, { force: true });
      await replacements.tell(projectId, error.data);
    }
  }
}

/** A start in between has removed it, or a crash came after it was done and before it was reported. */
function gone(): AppError {
  return new AppError('conflict', 'the service was restarted meanwhile, and the prepared data is gone', {
    hints: ['check that the project is as it should be; if not, restore it again'],
  });
}
