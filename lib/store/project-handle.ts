/** What the event loop knows about a project's shard: what queries may read, and which retired segments are still being read. */
import type { Snapshot } from '../shards/shard-reader.ts';

export class ProjectHandle {
  readonly project: string;
  #snapshot: Snapshot | null = null;
  /** Count what was acknowledged, and how much of that the snapshot has. */
  #acknowledged = 0;
  #covered = -1;
  #generation = 0;
  /** Running queries per generation of their snapshot. */
  readonly #readers = new Map<number, number>();
  /** Retired segments and the first generation without them. */
  #retired: { readonly id: number; readonly since: number }[] = [];
  readonly #purging = new Set<number>();

  #closed: Promise<void> | null = null;
  #idle: (() => void) | null = null;
  #interrupt = new AbortController();

  constructor(project: string) {
    this.project = project;
  }

  /** The newest snapshot; null if it lacks something acknowledged. */
  get current(): Snapshot | null {
    return this.#covered === this.#acknowledged ? this.#snapshot : null;
  }

  /** Whether there ever was a snapshot. */
  get hasSnapshot(): boolean {
    return this.#snapshot !== null;
  }

  /** Resolves when whoever closed the handle has finished; null while it is open. */
  get closed(): Promise<void> | null {
    return this.#closed;
  }

  /** Aborted when the handle closes: readers must then release the files, and may start again once it is open. */
  get interruption(): AbortSignal {
    return this.#interrupt.signal;
  }

  /** Admits no new readers, interrupts running ones and waits for them to release it. Call the returned function when done. */
  async close(): Promise<() => void> {
    let release = (): void => {};
    this.#closed = new Promise((resolve) => (release = resolve));
    this.#interrupt.abort();
    this.#interrupt = new AbortController();
    while (this.#readers.size > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
    return () => {
      this.#closed = null;
      release();
    };
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Something was, or may have been, acknowledged: snapshots requested before lack it. */
  touch(): void {
    this.#acknowledged++;
  }

  /** The snapshot has everything acknowledged up to this value of `acknowledged`. */
  cover(acknowledged: number): void {
    this.#covered = Math.max(this.#covered, acknowledged);
  }

  /** Sets a newer snapshot and the segments that it no longer has. */
  update(snapshot: Snapshot, retired: readonly number[]): void {
    this.#snapshot = snapshot;
    this.#generation++;
    const known = new Set(this.#retired.map(({ id }) => id));
    for (const id of retired)
      if (!known.has(id) && !this.#purging.has(id)) this.#retired.push({ id, since: this.#generation });
  }

  /** Keeps the current snapshot's segments until the returned function is called; further calls do nothing. */
  pin(): () => void {
    const generation = this.#generation;
    this.#readers.set(generation, (this.#readers.get(generation) ?? 0) + 1);
    let pinned = true;
    return () => {
      if (!pinned) return;
      pinned = false;
      const left = this.#readers.get(generation)! - 1;
      if (left > 0) this.#readers.set(generation, left);
      else this.#readers.delete(generation);
      if (this.#readers.size === 0) this.#idle?.();
    };
  }

  /** Retired segments that no query reads any more; each is returned once. */
  takeUnread(): number[] {
    const oldest = Math.min(Infinity, ...this.#readers.keys());
    const unread = this.#retired.filter(({ since }) => since <= oldest).map(({ id }) => id);
    this.#retired = this.#retired.filter(({ since }) => since > oldest);
    for (const id of unread) this.#purging.add(id);
    return unread;
  }

  /** The writer has removed them, or will name them again with the next snapshot. */
  purged(ids: readonly number[]): void {
    for (const id of ids) this.#purging.delete(id);
  }
}
