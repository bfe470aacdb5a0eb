/** Puts shards in place that `wl admin restore --project` has prepared, while everything else runs. */
import fs from 'node:fs';
import { removeStaged, shardAside, stagedShard } from '../backup/staged-shard.ts';
import type { ControlDatabase } from '../control/database.ts';
import type { Replacement } from '../control/operator/replacements.ts';
import { AppError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { EventStore } from '../store/event-store.ts';

/** Interval for checking what was prepared. Milliseconds. */
const WATCH_MS = 500;

interface Parts {
  readonly data: string;
  readonly control: Pick<ControlDatabase, 'operator'>;
  readonly store: Pick<EventStore, 'replace'>;
  readonly log: Log;
}

export class ShardReplacements {
  readonly #parts: Parts;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #failing = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Takes what an earlier run did not get to, and removes what nobody wants any more. */
  async watch(): Promise<void> {
    const { data, control } = this.#parts;
    const waiting = await control.operator.replacements.waiting();
    removeStaged(
      data,
      waiting.map(({ projectId }) => projectId),
    );
    this.#timer = setInterval(() => this.#look(), WATCH_MS).unref();
  }

  /** Resolves when the running one is done. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#running;
  }

  #look(): void {
    this.#running ??= this.#takeAll().finally(() => (this.#running = null));
  }

  async #takeAll(): Promise<void> {
    const { control, log } = this.#parts;
    try {
      for (const replacement of await control.operator.replacements.waiting()) await this.#take(replacement);
      this.#failing = false;
    } catch (error) {
      if (!this.#failing)
        log.error({ err: error }, 'restored projects cannot be looked up or put in place; it will be retried');
      this.#failing = true;
    }
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
