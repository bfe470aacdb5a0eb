/** Worlds in a real shard without threads: it is sealed, compacted or reopened between requests. */
import { makeGroupFilter } from '../../lib/shards/segment/insert-ids/insert-filter.ts';
import { readInsertIds } from '../../lib/shards/segment/insert-ids/segment-ids.ts';
import type { Erased } from '../../lib/shards/erase/erase.ts';
import type { Snapshot } from '../../lib/shards/shard-reader.ts';
import { compactSegments } from '../../lib/shards/compaction/compact-segments.ts';
import type { World, WorldRequest } from '../oracle/world.ts';
import { openReader, WriterProbe } from './shard-rows.ts';
import { wireJson } from './wire-json.ts';

/** What happens after a request. */
export type Turn = 'nothing' | 'seal' | 'restart' | 'compact';

export interface Play {
  /** After each request; once they end, nothing more happens. */
  readonly turns: Iterator<Turn>;
  /** Pending rows that trigger a seal. */
  readonly sealRows: number;
  /** Rows per compacted segment. */
  readonly segmentRows: number;
  /** Sends events as lines of a stream, not as batches. */
  readonly lines?: boolean;
}

export class ShardPlay {
  readonly #folder: string;
  readonly #options: { sealRows: number; segmentRows: number };
  readonly #turns: Iterator<Turn>;
  readonly #lines: boolean;
  readonly project: string;
  #probe: WriterProbe;

  constructor(folder: string, project: string, { turns, sealRows, segmentRows, lines = false }: Play) {
    this.#folder = folder;
    this.project = project;
    this.#turns = turns;
    this.#lines = lines;
    this.#options = { sealRows, segmentRows };
    this.#probe = new WriterProbe(folder, this.#options);
  }

  /** Sends the requests of a world, with a turn after each. */
  load(world: World): void {
    for (const request of world) this.send(request);
  }

  /** Sends one request, then takes its turn. */
  send(request: WorldRequest): void {
    this.#append(request);
    this.#take(this.#turns.next().value ?? 'nothing');
  }

  /** Seals pending rows. */
  snapshot(): Snapshot {
    return this.#probe.snapshot(this.project);
  }

  erase(userId: string): Erased {
    return this.#probe.erase(userId, this.project);
  }

  /** Takes an extra turn. */
  turn(turn: Turn): void {
    this.#take(turn);
  }

  /** Removes the project and closes the writer. */
  close(): void {
    this.#probe.ask({ op: 'drop', project: this.project });
    this.#probe.ask({ op: 'close' });
  }

  #append(request: WorldRequest): void {
    const { at } = request;
    if ('unbind' in request) this.#probe.append('unbind', request.unbind, at, this.project);
    else if (!('track' in request)) this.#identify(wireJson(request.identify), at);
    else if (this.#lines) this.#probe.append('track_lines', request.track.map(wireJson).join('\n'), at, this.project);
    else this.#probe.append('track', wireJson({ events: request.track }), at, this.project);
  }

  /** A refused one changes nothing: a blank id is none. */
  #identify(body: string, at: number): void {
    try {
      this.#probe.append('identify', body, at, this.project);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('bad_request: '))) throw error;
    }
  }

  #take(turn: Turn): void {
    switch (turn) {
      case 'nothing':
        return;
      case 'seal':
        this.snapshot();
        return;
      case 'compact':
        this.#compact();
        return;
      case 'restart':
        this.#probe.ask({ op: 'close' });
        this.#probe = new WriterProbe(this.#folder, this.#options);
    }
  }

  /** Compacts all segments into one or more. */
  #compact(): void {
    const snapshot = this.snapshot();
    const ids = snapshot.segments.map(({ id }) => id);
    if (ids.length === 0) return;
    const reader = openReader(snapshot);
    const made = compactSegments(
      ids.map((id) => reader.segment(id)),
      reader.fieldKeys(Math.max(...ids)),
      {
        segmentRows: this.#options.segmentRows,
        bytes: 0,
        ids: { secret: reader.idSecret(), since: -Infinity },
      },
    );
    reader.forget();
    const { incarnation } = snapshot;
    this.#probe.ask({
      op: 'compacted',
      project: this.project,
      incarnation,
      replaced: ids,
      segments: made,
      ...{ heavy: false, failed: false, texts: null, idGroup: null },
    });
    this.#groupIds();
  }

  /** Gives all segments one filter of insert ids. */
  #groupIds(): void {
    const snapshot = this.snapshot();
    const reader = openReader(snapshot);
    const segments = snapshot.segments.map(({ id }) => id);
    const columns = segments.map((id) => reader.read((connection) => readInsertIds(connection, id)));
    const idGroup = { segments, filter: makeGroupFilter(columns, reader.idSecret()) };
    reader.forget();
    this.#probe.ask({
      ...{ op: 'compacted', project: this.project, incarnation: snapshot.incarnation },
      ...{ replaced: [], segments: [], heavy: false, failed: false, texts: null, idGroup },
    });
  }
}
