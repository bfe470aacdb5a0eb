/**
 * Events of a project that only the journal has join its records there, and so do those of one that is not loaded while there is
 * no memory for it: the request is checked, written and acknowledged, and the project is taken up later, all of its requests
 * together. To load a shard takes a millisecond or more and leaves much to collect, and with thousands of projects that take turns
 * nearly every request would.
 */
import type { Backlog } from '../journal/backlog.ts';
import type { HeldBack } from './held-back.ts';
import type { Taken } from './group-commit.ts';
import type { RequestScope } from '../ingest/request-scope.ts';
import { unpackedBody } from '../journal/record-head.ts';
import type { ShardSet } from './shard-set.ts';
import type { Sealing } from './sealing.ts';
import { SET_ASIDE_BYTES, ShardWriter } from './shard-writer.ts';
import type { Taking } from './taking.ts';
import type { TakingUp } from './taking-up.ts';
import { threshold } from '../../base/threshold.ts';
import type { Unreplayed } from './unreplayed.ts';
import type { UsageReport } from './usage-report.ts';
import type { AppendMessage } from '../writer-messages.ts';

/** Larger bodies take more than some tenths of a millisecond, and are read in slices. Bytes. */
const MOST_BODY = threshold('bytes of a deferred body', 16 << 10, { least: 0 });
/** From this fraction of the journal's limit on, projects are taken up, since only what is taken up can be sealed. */
const FULL = 7 / 8;
/** Requests for which one shard learns texts and columns before another takes its place. */
const USES = 512;

interface DeferringOptions {
  readonly backlog: Backlog;
  readonly shards: ShardSet;
  readonly unreplayed: Pick<Unreplayed, 'has'>;
  readonly taking: Taking;
  readonly held: HeldBack;
  readonly sealing: Pick<Sealing, 'fullness'>;
  readonly takingUp: () => TakingUp;
  readonly usageReport: () => UsageReport;
}

/** A request that was read; `commit` adds it to its project's records. */
interface Checked extends Pick<Taken, 'value' | 'commit' | 'rollback'> {
  readonly scope: RequestScope;
}

export class Deferring {
  readonly #options: DeferringOptions;
  /** A shard of nobody: reads bodies, and keeps no row of them. */
  #shard = emptyShard();
  #uses = 0;

  constructor(options: DeferringOptions) {
    this.#options = options;
  }

  /** Whether a request may be acknowledged without its project: its few events tell nothing about users. */
  admits({ project: { id }, kind, encoding, body }: AppendMessage): boolean {
    const { backlog, held, takingUp, sealing } = this.#options;
    if (kind !== 'track' || encoding !== 'identity' || !(backlog.has(id) || this.#hasNoRoom(id))) return false;
    if (held.isHeld(id) || takingUp().has(id) || sealing.fullness > FULL) return false;
    if (body.byteLength > MOST_BODY.value || backlog.bytesOf(id) + body.byteLength > SET_ASIDE_BYTES) return false;
    return this.#nextArrival(id) !== null;
  }

  #hasNoRoom(project: string): boolean {
    const { shards, unreplayed } = this.#options;
    return shards.isCrowded && !shards.has(project) && !unreplayed.has(project);
  }

  /** Reads a request that was admitted. Throws AppError if the body as a whole is refused. */
  check(message: AppendMessage): Checked {
    const { backlog, taking, usageReport } = this.#options;
    const { id } = message.project;
    if (this.#uses++ === USES) [this.#shard, this.#uses] = [emptyShard(), 0];
    const shard = this.#shard;
    shard.state.nextArrival = this.#nextArrival(id)!;
    const scope = taking.scope(message);
    const steps = taking.take('track', message.body, shard, scope);
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    const next = shard.state.nextArrival;
    shard.rollback(scope);
    if (scope.kept) backlog.expect(id, next);
    const commit: Checked['commit'] = ({ place }) => {
      backlog.append(id, place);
      usageReport().addDeferred(id, scope.date, scope.counts);
      return step.value.ignored;
    };
    return { scope, value: step.value, commit, rollback: () => backlog.cancel(id) };
  }

  /**
   * A number that follows those of all records of a project, and of its shard: the file may have later events than the journal of
   * an earlier run, of which sealed records may be missing. null if it takes long to learn.
   */
  #nextArrival(project: string): number | null {
    const { backlog, shards } = this.#options;
    const waits = backlog.has(project);
    const known = waits ? backlog.nextArrival(project) : null;
    if (known !== null) return known;
    try {
      const stored = shards.storedArrival(project);
      if (!waits) return stored;
      const last = stored === null ? null : backlog.last(project);
      if (stored === null || last === null) return null;
      const { head, body } = last;
      const next = Math.max(stored, head.arrival + 1 + unpackedBody(head, body).byteLength); // an event takes more than a byte
      backlog.expectNext(project, next);
      return next;
    } catch {
      return null; // taking it up will report why
    }
  }
}

function emptyShard(): ShardWriter {
  const none = (): never => {
    throw new Error('a shard of nobody has no file');
  };
  return new ShardWriter('', { read: none, write: none }, { stored: false, dictionaryBytes: 1 << 20 });
}
