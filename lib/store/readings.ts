/** Snapshots of projects that are kept while someone reads them, and the removal of segments that nobody reads any more. */
import { kept } from '../base/kept.ts';
import { isSnapshot, type Readable, type ShardAtRest, type Snapshot } from '../shards/shard-reader.ts';
import type { WriterQuestion } from '../shards/writer/writer-client.ts';

/** Something being read, kept until `unpin`. */
export interface Reading<Source extends Readable = Snapshot> {
  readonly handle: ProjectHandle;
  readonly source: Source;
  readonly interruption: AbortSignal;
  readonly unpin: () => void;
}

/** A snapshot or a shard at rest being read. */
export interface FirstReading extends Reading<Readable> {
  /** To be called with the snapshot that was made of a shard at rest. */
  readonly took: (snapshot: Snapshot) => void;
}

interface ReadingsOptions {
  /** Asks the writer of a project. */
  readonly ask: <T>(project: string, message: WriterQuestion) => Promise<T>;
  /** The shard of a project if its writer has nothing of it that its file lacks. */
  readonly atRest: (project: string) => ShardAtRest | null;
  /** Whether the project was deleted or the store is closing: then no segments are removed any more. */
  readonly isOver: (project: string) => boolean;
  readonly onTrouble: (error: unknown, what: string) => void;
}

export class Readings {
  readonly #options: ReadingsOptions;
  readonly #handles = new Map<string, ProjectHandle>();
  /** Snapshots that writers were asked for, with what was acknowledged by then: later readers wait for the same. */
  readonly #asked = new Map<ProjectHandle, { readonly acknowledged: number; readonly snapshot: Promise<Snapshot> }>();

  constructor(options: ReadingsOptions) {
    this.#options = options;
  }

  /** What a reader may read, kept for it until `unpin`. */
  read(project: string): Promise<Reading> {
    return this.#pinned(project, (handle) => this.#snapshot(handle));
  }

  /** The same, or the shard if it is at rest and nobody has read it yet. */
  async readFirst(project: string): Promise<FirstReading> {
    const reading = await this.#pinned<Readable>(
      project,
      async (handle) => this.#atRest(handle) ?? this.#snapshot(handle),
    );
    const { handle, source } = reading;
    const { acknowledged } = handle;
    const took = (snapshot: Snapshot): void => {
      if (isSnapshot(source) || handle.hasSnapshot) return; // the writer's may be newer
      handle.update(snapshot, []);
      handle.cover(acknowledged);
    };
    return { ...reading, took };
  }

  /** A snapshot with everything acknowledged, if one is at hand; else null. */
  current(project: string): Snapshot | null {
    const handle = this.#handles.get(project);
    return handle === undefined || handle.closed ? null : handle.current;
  }

  /** The handle, once a running erasure is over. */
  async open(project: string): Promise<ProjectHandle> {
    let handle = this.handle(project);
    while (handle.closed) {
      await handle.closed;
      handle = this.handle(project);
    }
    return handle;
  }

  /** The same, pinned at once: nobody can close it in between. `interruption`: of readers from now on. */
  async pin(project: string): Promise<Pick<Reading, 'handle' | 'interruption' | 'unpin'>> {
    for (;;) {
      const handle = await this.open(project);
      if (!handle.closed) return { handle, interruption: handle.interruption, unpin: handle.pin() };
    }
  }

  handle(project: string): ProjectHandle {
    return kept(this.#handles, project, () => new ProjectHandle(project));
  }

  forget(project: string): void {
    this.#handles.delete(project);
  }

  /** Asks the writer to remove the segments that nobody reads any more. */
  purge(handle: ProjectHandle): void {
    const { ask, isOver, onTrouble } = this.#options;
    const segments = handle.takeUnread();
    if (segments.length === 0 || isOver(handle.project)) return;
    ask(handle.project, { op: 'purge', project: handle.project, segments })
      .catch((error: unknown) => onTrouble(error, 'replaced segments could not be removed'))
      .finally(() => handle.purged(segments));
  }

  /** Pins before asking the writer, so that nobody removes in between what it answers. */
  async #pinned<Source extends Readable>(
    project: string,
    find: (handle: ProjectHandle) => Promise<Source>,
  ): Promise<Reading<Source>> {
    const { handle, interruption, unpin: release } = await this.pin(project);
    try {
      const source = await find(handle);
      return { handle, source, interruption, unpin: handle.pin() };
    } finally {
      release();
    }
  }

  #atRest({ project, hasSnapshot }: ProjectHandle): ShardAtRest | null {
    return hasSnapshot ? null : this.#options.atRest(project);
  }

  /** A snapshot with everything acknowledged before the call. */
  async #snapshot(handle: ProjectHandle): Promise<Snapshot> {
    if (handle.current) return handle.current;
    const { acknowledged } = handle;
    const known = this.#asked.get(handle);
    if (known?.acknowledged === acknowledged) return known.snapshot;
    const asked = { acknowledged, snapshot: this.#ask(handle) };
    this.#asked.set(handle, asked);
    try {
      return await asked.snapshot;
    } finally {
      if (this.#asked.get(handle) === asked) this.#asked.delete(handle);
    }
  }

  async #ask(handle: ProjectHandle): Promise<Snapshot> {
    const { acknowledged, project } = handle;
    type Taken = { snapshot: Snapshot; retired: readonly number[] };
    const { snapshot, retired } = await this.#options.ask<Taken>(project, { op: 'snapshot', project });
    handle.update(snapshot, retired);
    handle.cover(acknowledged);
    return snapshot;
  }
}

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
