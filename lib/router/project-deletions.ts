/** Deletes projects: at once from the control database, then their events from the store. */
import { removeHalfMade } from '../backup/half-made.ts';
import type { Config } from '../base/config/config.ts';
import type { ControlDatabase } from '../control/database.ts';
import type { Actor } from '../control/types.ts';
import type { Erasures } from '../erasures/erasures.ts';
import { AppError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { Recurring } from '../base/recurring.ts';
import type { EventStore } from '../store/event-store.ts';

interface Parts {
  readonly config: Pick<Config, 'data'>;
  readonly control: Pick<ControlDatabase, 'projects'>;
  readonly store: Pick<EventStore, 'drop'>;
  readonly erasures: Pick<Erasures, 'projectDeleted' | 'reach'>;
  readonly log: Log;
}

/** What a crash or a failing disk leaves undone is retried: every minute, and at the next start. */
export class ProjectDeletions {
  readonly #parts: Parts;
  readonly #retryMs: number;
  /** Being removed: whoever asks again waits for the same. */
  readonly #running = new Map<string, Promise<boolean>>();
  /** Projects that could not be removed; they wait for the next attempt. */
  readonly #failing = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  /** For projects that `wl admin` has deleted. A purge is not waited for: it may take long. */
  readonly #looks: Recurring;
  #closed = false;

  /** `retryMs`: between two attempts to remove what could not be removed. */
  constructor(parts: Parts, retryMs: number = 60_000) {
    this.#parts = parts;
    this.#retryMs = retryMs;
    this.#looks = new Recurring({
      every: 500,
      act: async () => void this.#purgeAll(await parts.control.projects.unpurged()),
      onTrouble: (error) => parts.log.error({ err: error }, 'deleted projects cannot be looked up; it will be retried'),
    });
  }

  /**
   * Resolves when no file holds a byte of the project's events. Rejects with 404 if it was deleted meanwhile, and with 503 if
   * files could not be removed: the project is gone all the same.
   */
  async delete(projectId: string, by: Actor): Promise<void> {
    await this.#parts.control.projects.delete(projectId, by);
    await this.purge([projectId]);
  }

  /** The same for projects that the control database has deleted already. */
  async purge(projectIds: readonly string[]): Promise<void> {
    let all = true;
    for (const id of projectIds) all = (await this.#purge(id)) && all;
    if (all) return;
    throw new AppError('storage_unavailable', 'It is deleted, but files could not be removed yet.', {
      hints: ['The server retries every minute; its log says why.'],
    });
  }

  /** Removes what earlier deletions left; failures are logged and retried. Rejects if it cannot find out what is left. */
  async finish(): Promise<void> {
    await this.#purgeAll(await this.#parts.control.projects.unpurged());
  }

  /** Removes what `wl admin` deletes from now on, and what could not be removed. */
  watch(): void {
    this.#looks.start();
  }

  /** Stops all retries. */
  close(): void {
    this.#closed = true;
    this.#looks.stop();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #purge(projectId: string): Promise<boolean> {
    const known = this.#running.get(projectId);
    if (known !== undefined) return known;
    const running = this.#remove(projectId).finally(() => this.#running.delete(projectId));
    this.#running.set(projectId, running);
    return running;
  }

  async #remove(projectId: string): Promise<boolean> {
    const { config, control, store, erasures } = this.#parts;
    try {
      await removeHalfMade(config.data, control);
      await erasures.projectDeleted(projectId);
      await Promise.all([store.drop(projectId), erasures.reach()]);
      await control.projects.markPurged(projectId);
      this.#failing.delete(projectId);
      return true;
    } catch (error) {
      this.#failed(error, projectId);
      return false;
    }
  }

  #failed(error: unknown, project: string): void {
    this.#failing.add(project);
    this.#parts.log.error(
      { err: error, project },
      'a deleted project cannot be removed from the disk; it will be retried',
    );
    if (this.#closed || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#failing.clear();
    }, this.#retryMs).unref();
  }

  async #purgeAll(left: readonly string[]): Promise<void> {
    for (const id of left) if (!this.#running.has(id) && !this.#failing.has(id)) await this.#purge(id);
  }
}
