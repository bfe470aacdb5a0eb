/** Snapshots of projects that are kept while someone reads them, and the removal of segments that nobody reads any more. */
import { kept } from '../base/kept.ts';
import { isSnapshot, type Readable, type ShardAtRest, type Snapshot } from '../shards/shard-reader.ts';
import type { Question } from '../shards/writer/writer-client.ts';
import { ProjectHandle } from './project-handle.ts';

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
  readonly ask: <T>(project: string, message: Question) => Promise<T>;
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

  /**
   * Asks for the first snapshot of a project, for a query that is still being read: whoever reads it soon waits for less. Only the
   * first, so that queries which are refused cost no more than one.
   */
  expect(project: string): void {
    const handle = this.handle(project);
    if (handle.closed || handle.hasSnapshot || this.#asked.has(handle) || this.#atRest(handle)) return;
    const toldLater = (): void => undefined; // the query asks again
    this.#snapshot(handle).catch(toldLater);
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
