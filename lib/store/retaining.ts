/** Drops events older than projects keep them: once after the start, and every hour. */
import { DAY_MS } from '../base/day.ts';
import type { ProjectRef } from '../base/project.ts';

export interface RetainingOptions {
  /** All projects with their current settings; without it, only those in use are known. */
  readonly projects?: (() => Promise<Iterable<ProjectRef>>) | undefined;
  readonly retain: (project: ProjectRef) => Promise<void>;
  readonly onTrouble: (error: unknown, what: string) => void;
}

export class Retaining {
  readonly #options: RetainingOptions;
  /** Projects as of their last request. */
  readonly #used = new Map<string, ProjectRef>();
  readonly #timer: NodeJS.Timeout;
  #closed = false;

  constructor(options: RetainingOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.run(), DAY_MS / 24).unref();
  }

  use(project: ProjectRef): void {
    this.#used.set(project.id, project);
  }

  forget(project: string): void {
    this.#used.delete(project);
  }

  /** One project at a time, since nobody waits for it. Never rejects. */
  async run(): Promise<void> {
    try {
      for (const project of await this.#due()) {
        if (this.#closed) return;
        await this.#options.retain(project).catch((error: unknown) => this.#tell(error));
      }
    } catch (error) {
      this.#tell(error);
    }
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
  }

  /** Projects that keep events for ever have something to drop only while they are used: insert ids, which may come again. */
  async #due(): Promise<Iterable<ProjectRef>> {
    const due = new Map(this.#used);
    for (const project of (await this.#options.projects?.()) ?? []) {
      if (project.retentionDays !== null || due.has(project.id)) due.set(project.id, project);
    }
    return due.values();
  }

  #tell(error: unknown): void {
    if (!this.#closed) this.#options.onTrouble(error, 'events that are too old could not be dropped');
  }
}
