/** Snapshots of projects that are kept while someone reads them, and the removal of segments that nobody reads any more. */
import type { Snapshot } from '../shards/shard-reader.ts';
import type { Unnumbered } from '../shards/writer/writer-client.ts';
import type { WriterMessage } from '../shards/writer-messages.ts';
import { ProjectHandle } from './project-handle.ts';

/** A snapshot being read. */
export interface Reading {
  readonly handle: ProjectHandle;
  readonly snapshot: Snapshot;
  readonly interruption: AbortSignal;
  readonly unpin: () => void;
}

interface ReadingsOptions {
  /** Asks the writer of a project. */
  readonly ask: <T>(project: string, message: Unnumbered<WriterMessage>) => Promise<T>;
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

  /** What a reader may read, kept for it until `unpin`. Pins before asking the writer, so that nobody removes it in between. */
  async read(project: string): Promise<Reading> {
    const handle = await this.open(project);
    const { interruption } = handle;
    const release = handle.pin();
    try {
      const snapshot = await this.#snapshot(handle);
      return { handle, snapshot, interruption, unpin: handle.pin() };
    } finally {
      release();
    }
  }

  /**
   * Asks for the first snapshot of a project, for a query that is still being read: whoever reads it soon waits for less. Only the
   * first, so that queries which are refused cost no more than one.
   */
  expect(project: string): void {
    const handle = this.handle(project);
    if (handle.closed || handle.hasSnapshot || this.#asked.has(handle)) return;
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

  handle(project: string): ProjectHandle {
    let handle = this.#handles.get(project);
    if (!handle) this.#handles.set(project, (handle = new ProjectHandle(project)));
    return handle;
  }

  forget(project: string): void {
    this.#handles.delete(project);
  }

  /** Asks the writer to remove the segments that nobody reads any more. */
  purge(handle: ProjectHandle): void {
    const { ask, isOver, onTrouble } = this.#options;
    const segments = handle.takeUnread();
    if (segments.length === 0 || isOver(handle.project)) return;
    ask(handle.project, { op: 'purge', project: handle.project, segments }).then(
      () => handle.purged(segments),
      (error: unknown) => onTrouble(error, 'replaced segments could not be removed'),
    );
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
