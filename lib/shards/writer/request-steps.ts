/**
 * The way of a request with events or identifies, from top to bottom.
 *
 *   admit        lib/router/ingest             its key, suspensions, the limits of its project and organization
 *   receive      lib/router/http/body.ts       its bytes, as many as its tenant may hold
 *   deliver      writer.ts, project-actor.ts       to the inbox of its project, whose turn comes
 *   read         `#begin`, ingest/scan         inflated, and scanned or parsed in slices of time
 *   normalise    ingest/normalise              each event by the rules, what is wrong is told
 *   enrich       ingest/enrich                 by its address, browser and URLs
 *   deduplicate  `deduplicated`, sealed-ids.ts insert ids of the last seven days come once
 *   append       `#append`, group-commit.ts    one write to the journal for the requests of a moment
 *   commit       group-commit.ts               one sync; then its profiles, bindings and counters apply
 *   answer       group-commit.ts               what was accepted, rejected and changed
 *
 * A replay begins at `read` and ends at `commit`: its records are in the journal already.
 */
import { SHORT } from '../ingest/normalise/shallow.ts';
import { inflate } from '../../base/inflate.ts';
import { enrichRequest } from '../ingest/enrich/enrich.ts';
import { type Locations, openLocations } from '../ingest/enrich/geo.ts';
import { storedIp } from '../ingest/enrich/ip.ts';
import { Intake } from '../ingest/intake.ts';
import { RequestScope } from '../ingest/request-scope.ts';
import type { WaitingRecord } from '../journal/unsealed-records.ts';
import type { Journal } from '../journal/journal.ts';
import { recordHead, type RecordHead, unpackedBody } from '../journal/record-head.ts';
import { FIRST_INGEST_RULES, INGEST_RULES } from '../request.ts';
import { failure, stuckAlone } from '../seal/answers.ts';
import type { Steps, StoreCall } from '../steps.ts';
import type { WriterAnswer, AppendAnswer, AppendMessage, WriterOptions } from '../writer-messages.ts';
import type { ColdAppends } from './cold-appends.ts';
import type { GroupCommit, StreamOrder } from './group-commit.ts';
import { type ProjectActor, type ReadRequest, type RequestTarget, SLICE } from './project-actor.ts';
import type { Sealing } from './sealing.ts';
import type { ShardWriter } from './shard-writer.ts';

type ReaderOptions = Pick<WriterOptions, 'batchLimit' | 'lineLimit' | 'geoipFile' | 'geoip'>;

/** Read, normalise, enrich, deduplicate: a body becomes pending rows of a shard. */
export class RequestReader {
  readonly #intake: Intake;
  readonly #places: Locations | null;

  constructor({ batchLimit, lineLimit, geoipFile, geoip }: ReaderOptions) {
    this.#places = geoipFile === null ? null : openLocations(geoipFile, geoip);
    this.#intake = new Intake({ batchLimit, lineLimit, places: this.#places });
  }

  scope({ context, project }: Pick<RecordHead, 'context' | 'project'>): RequestScope {
    return new RequestScope(
      context,
      project,
      enrichRequest(context, { policy: project.ipPolicy, places: this.#places }),
    );
  }

  /** The context as the journal keeps it: the address under the policy, the location found by the whole address, the rules. */
  storedContext({ context, project }: AppendMessage): AppendMessage['context'] {
    if (context.ip === null) return { ...context, rules: INGEST_RULES };
    const place = context.place ?? this.#places?.lookup(context.ip) ?? null;
    return { ...context, place, ip: storedIp(context.ip, project.ipPolicy), rules: INGEST_RULES };
  }

  /**
   * Reads a body into the pending rows; if it is refused, nothing of it stays. Then all its ids are looked for together, segment by
   * segment; if some repeat sealed ones, the body is read again without them.
   */
  *deduplicated(
    kind: AppendMessage['kind'],
    body: Uint8Array,
    shard: ShardWriter,
    scope: RequestScope,
  ): Steps<AppendAnswer> {
    shard.begin(scope);
    try {
      let answer = yield* this.#read(kind, body, shard, scope);
      while (yield* shard.findRepeats(scope)) answer = yield* this.#read(kind, body, shard, scope);
      yield* shard.end(scope);
      return answer;
    } catch (error) {
      shard.rollback(scope);
      throw error;
    }
  }

  /**
   * Replays a record of the journal into its shard, unless that has it already. Returns the bytes that wait because of it; null if
   * nothing was read.
   */
  *replay(shard: ShardWriter, { head, body, place }: WaitingRecord): Steps<number | null> {
    if (head.arrival < shard.state.nextArrival) return null;
    shard.state.nextArrival = head.arrival;
    const scope = this.scope({ ...head, context: { rules: FIRST_INGEST_RULES, ...head.context } });
    scope.mayBeRefused = false;
    const unpacked = unpackedBody(head, body);
    yield* this.deduplicated(head.kind, unpacked, shard, scope);
    return shard.commit(scope, { place, bytes: unpacked.byteLength }).bytes;
  }

  *#read(kind: AppendMessage['kind'], body: Uint8Array, shard: ShardWriter, scope: RequestScope): Steps<AppendAnswer> {
    const target = { events: shard.events, restart: () => shard.restart(scope) };
    switch (kind) {
      case 'track':
        return { ...(yield* this.#intake.takeBatch(body, target, scope)), ignored: [] };
      case 'identify':
        return { ...(yield* this.#intake.takeIdentify(body, target, scope)), ignored: [] };
      case 'track_lines':
      case 'identify_lines':
        return { ...(yield* this.#intake.takeLines(body, kind, target, scope)), ignored: [] };
      case 'unbind': {
        const undone = shard.bindings.undo(Buffer.from(body).toString('utf8'), scope);
        return { accepted: undone ? 1 : 0, rejected: 0, errors: [], warnings: [], ignored: [], lines: 0 };
      }
    }
  }
}

interface RequestStepsOptions {
  readonly reader: RequestReader;
  readonly journal: Journal<RecordHead>;
  readonly commits: GroupCommit;
  readonly sealing: Sealing;
  readonly streams: StreamOrder;
  readonly cold: ColdAppends;
  /** Bytes of a body that is not streamed, unpacked. */
  readonly bodyLimit: number;
  /** Has the store thread do what a request waits for; the project's next turn continues. */
  readonly call: (project: ProjectActor, call: StoreCall) => void;
  /** Answers what needs no disk. */
  readonly answer: (answer: WriterAnswer) => void;
  /** Posts the answers so far, and starts writing what was read. */
  readonly flush: () => void;
}

export class RequestSteps {
  readonly #options: RequestStepsOptions;

  constructor(options: RequestStepsOptions) {
    this.#options = options;
  }

  /** Reads a request, or a slice of one; the next turn of the project continues. */
  take(project: ProjectActor, message: AppendMessage): void {
    const { call, answer, flush, streams } = this.#options;
    try {
      if (project.request === null && message.body.byteLength > SHORT) flush(); // earlier requests do not wait for a large one
      const request = (project.request ??= this.#begin(project, message));
      // Who is not loaded shares the shard that reads with others like it.
      const until = performance.now() + (project.shard === null ? Infinity : SLICE.value);
      do {
        const step = request.steps.next();
        if (step.done === true) {
          project.request = null;
          streams.took(message.piece);
          return this.#append(request, step.value);
        }
        if (step.value) return call(project, step.value);
      } while (performance.now() < until);
    } catch (error) {
      project.request = null;
      answer(failure(message.id, error));
    }
  }

  /** Undoes what was read of a request that builds on one which the disk did not keep; it is read again. */
  startOver(project: ProjectActor): void {
    const { request } = project;
    if (request === null) return;
    request.target.rollback(request.scope);
    project.request = null;
    project.call = null;
    project.putBack(request.message);
  }

  #begin(project: ProjectActor, message: AppendMessage): ReadRequest {
    const { journal, commits, sealing, streams, reader, cold, bodyLimit, flush } = this.#options;
    const { kind, encoding } = message;
    streams.check(message.piece);
    sealing.checkRoom();
    if (kind === 'unbind') commits.settle(project.id); // what it undoes may have just come
    journal.prepare();
    const target = project.shard === null ? cold.target(project) : this.#loaded(project);
    const body = inflate(message.body, encoding, kind.endsWith('_lines') ? Infinity : bodyLimit);
    if (body !== message.body && body.byteLength > SHORT) flush(); // it was packed
    const scope = reader.scope(message);
    return { message, target, scope, body, steps: reader.deduplicated(kind, body, target.shard, scope) };
  }

  #loaded(project: ProjectActor): RequestTarget {
    const { sealing } = this.#options;
    const shard = project.loaded;
    if (sealing.isStuck(project)) throw stuckAlone();
    return {
      shard,
      kept: () => undefined,
      commit: (scope, recorded) => {
        const { ignored, bytes } = shard.commit(scope, recorded);
        sealing.took(project, bytes);
        return ignored;
      },
      rollback: (scope) => shard.rollback(scope),
    };
  }

  /** Hands a request over to the journal, unless it has nothing to store or count. */
  #append({ message, target, scope, body }: ReadRequest, value: AppendAnswer): void {
    const { commits, reader, answer } = this.#options;
    if (!scope.kept) {
      target.rollback(scope);
      return answer({ id: message.id, ok: true, value });
    }
    target.kept(scope);
    const head = recordHead(message, scope.firstArrival, reader.storedContext(message));
    const unpacked = body.byteLength - message.body.byteLength;
    commits.add({ message, value, unpacked, head, scope, commit: target.commit, rollback: target.rollback });
  }
}
