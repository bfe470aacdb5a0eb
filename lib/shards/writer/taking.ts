/** Requests → pending rows of their shard: reads the body, and decides what of its context is kept. */
import { enrichRequest } from '../ingest/enrich/enrich.ts';
import { openLocations, type Locations } from '../ingest/enrich/geo.ts';
import { storedIp } from '../ingest/enrich/ip.ts';
import { Intake } from '../ingest/intake.ts';
import type { WaitingRecord } from '../journal/backlog.ts';
import { unpackedBody, type RecordHead } from '../journal/record-head.ts';
import { FIRST_INGEST_RULES, INGEST_RULES } from '../request.ts';
import { RequestScope } from '../ingest/request-scope.ts';
import type { ShardWriter } from './shard-writer.ts';
import type { Steps } from '../seal/errand.ts';
import type { AppendAnswer, AppendMessage, WriterOptions } from '../writer-messages.ts';

type TakingOptions = Pick<WriterOptions, 'batchLimit' | 'lineLimit' | 'geoipFile' | 'geoip'>;

export class Taking {
  readonly #intake: Intake;
  readonly #places: Locations | null;

  constructor({ batchLimit, lineLimit, geoipFile, geoip }: TakingOptions) {
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
   * Reads a body into the pending rows; if it is refused, nothing of it stays. If files must be read to find repeats, all its ids
   * are looked up together, segment by segment, and the body is read again.
   */
  *take(kind: AppendMessage['kind'], body: Uint8Array, shard: ShardWriter, scope: RequestScope): Steps<AppendAnswer> {
    shard.begin(scope);
    try {
      let answer = yield* this.#takeBody(kind, body, shard, scope);
      while (scope.looks.any) {
        yield* shard.readIds(scope);
        answer = yield* this.#takeBody(kind, body, shard, scope);
      }
      yield* shard.end(scope);
      return answer;
    } catch (error) {
      shard.rollback(scope);
      throw error;
    }
  }

  /**
   * Reads a record of the journal into its shard, unless that has it already. Returns the bytes that wait because of it; null if
   * nothing was read.
   */
  *takeRecord(shard: ShardWriter, { head, body, place }: WaitingRecord): Steps<number | null> {
    if (head.arrival < shard.state.nextArrival) return null;
    shard.state.nextArrival = head.arrival;
    const scope = this.scope({ ...head, context: { rules: FIRST_INGEST_RULES, ...head.context } });
    scope.mayBeRefused = false;
    const unpacked = unpackedBody(head, body);
    yield* this.take(head.kind, unpacked, shard, scope);
    return shard.commit(scope, { place, bytes: unpacked.byteLength }).bytes;
  }

  *#takeBody(
    kind: AppendMessage['kind'],
    body: Uint8Array,
    shard: ShardWriter,
    scope: RequestScope,
  ): Steps<AppendAnswer> {
    const target = { events: shard.events, ipPolicy: scope.ipPolicy, restart: () => shard.restart(scope) };
    switch (kind) {
      case 'track':
        return { ...(yield* this.#intake.takeBatch(body, target, scope)), ignored: [] };
      case 'identify':
        yield* this.#intake.takeIdentify(body, target, scope);
        return { accepted: 1, rejected: 0, errors: [], ignored: [], lines: 0 };
      case 'track_lines':
      case 'identify_lines':
        return { ...(yield* this.#intake.takeLines(body, kind, target, scope)), ignored: [] };
      case 'unbind': {
        const undone = shard.bindings.undo(Buffer.from(body).toString('utf8'), scope);
        return { accepted: undone ? 1 : 0, rejected: 0, errors: [], ignored: [], lines: 0 };
      }
    }
  }
}
