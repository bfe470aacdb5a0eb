/**
 * A small request for a project that is cold is validated against a throw-away shard, appended to the journal and acknowledged; the
 * project is loaded later, and all such requests are replayed at once. To load a shard takes a millisecond or more and leaves much
 * to collect, and with thousands of projects that take turns nearly every request would.
 */
import { threshold } from '../../base/threshold.ts';
import { type RecordReader, UnsealedRecords } from '../journal/unsealed-records.ts';
import { unpackedBody } from '../journal/record-head.ts';
import type { AppendMessage } from '../writer-messages.ts';
import type { ProjectActor, RequestTarget } from './project-actor.ts';
import type { ProjectActors } from './project-actors.ts';
import type { Sealing } from './sealing.ts';
import type { ShardFiles } from './shard-files.ts';
import { MOST_SPILLED, ShardWriter } from './shard-writer.ts';
import type { UsageReport } from './usage-report.ts';

/** Larger bodies take more than some tenths of a millisecond, and are read in slices. Bytes. */
const MOST_BODY = threshold('bytes of a deferred body', 16 << 10, { least: 0 });
/** From this fraction of the journal's limit on, projects are loaded, since only what is loaded can be sealed. */
const FULL = 7 / 8;
/** Requests for which one shard learns texts and columns before another takes its place. */
const USES = 512;

interface ColdAppendsOptions {
  readonly records: RecordReader;
  readonly projects: ProjectActors;
  readonly files: ShardFiles;
  readonly sealing: Pick<Sealing, 'fullness'>;
  readonly usageReport: UsageReport;
}

export class ColdAppends {
  readonly #options: ColdAppendsOptions;
  /** Belongs to no project: reads bodies, and keeps no row of them. */
  #shard = throwAwayShard();
  #uses = 0;

  constructor(options: ColdAppendsOptions) {
    this.#options = options;
  }

  /** Whether a request may be acknowledged without its project: its few events tell nothing about users. */
  admits(project: ProjectActor, { kind, encoding, body }: AppendMessage): boolean {
    const { projects, sealing } = this.#options;
    if (kind !== 'track' || encoding !== 'identity' || body.byteLength > MOST_BODY.value) return false;
    const { records } = project;
    if (records === null && !projects.isCrowded) return false;
    if (sealing.fullness > FULL || (records?.bytes ?? 0) + body.byteLength > MOST_SPILLED) return false;
    return this.#nextArrival(project) !== null;
  }

  /** Where a request goes that was admitted. */
  target(project: ProjectActor): RequestTarget {
    const { usageReport } = this.#options;
    if (this.#uses++ === USES) [this.#shard, this.#uses] = [throwAwayShard(), 0];
    const shard = this.#shard;
    shard.state.nextArrival = this.#nextArrival(project)!;
    let coming: UnsealedRecords | null = null;
    return {
      shard,
      kept: (scope) => {
        const next = shard.state.nextArrival;
        shard.rollback(scope);
        coming = project.records ??= new UnsealedRecords([], next);
        coming.expect(next);
      },
      commit: (scope, { place }) => {
        coming!.came(place);
        usageReport.addDeferred(project.id, scope.date, scope.counts);
        return [];
      },
      rollback: (scope) => {
        if (coming === null) return shard.rollback(scope);
        coming.failed();
        if (coming.isEmpty) project.records = null;
      },
    };
  }

  /**
   * A number that follows those of all records of a project, and of its shard: the file may have later events than the journal of
   * an earlier run, of which sealed records may be missing. null if it takes long to learn.
   */
  #nextArrival({ id, records }: ProjectActor): number | null {
    if (records !== null && records.next !== null) return records.next;
    try {
      const stored = this.#options.files.storedArrival(id);
      if (records === null) return stored;
      const last = stored === null ? null : this.#options.records.last({ id, records });
      if (stored === null || last === null) return null;
      const { head, body } = last;
      const next = Math.max(stored, head.arrival + 1 + unpackedBody(head, body).byteLength); // an event takes more than a byte
      return (records.next = next);
    } catch {
      return null; // loading it will report why
    }
  }
}

function throwAwayShard(): ShardWriter {
  const none = (): never => {
    throw new Error('a throw-away shard has no file');
  };
  return new ShardWriter('', { read: none, write: none }, { stored: false, dictionaryBytes: 1 << 20 });
}
