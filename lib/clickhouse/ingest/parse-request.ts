/** The body of a request → what it brings, in order. Nothing here asks ClickHouse: all of it depends on the request alone. */
import { inflate, type Encoding } from '../../base/inflate.ts';
import type { IntakeRules } from '../../base/project.ts';
import { enrichRequest } from '../../shards/ingest/enrich/enrich.ts';
import { openLocations, type Locations } from '../../shards/ingest/enrich/geo.ts';
import { Intake, type EventSink, type Taken } from '../../shards/ingest/intake.ts';
import { whole } from '../../shards/seal/errand.ts';
import { RequestScope } from '../../shards/ingest/request-scope.ts';
import { Slots, type MetKind, type SlotData } from '../hot/slots.ts';
import { EventCollector, type Item } from './event-collector.ts';
import type { RequestContext } from '../../shards/request.ts';
import type { Counts } from '../../shards/file/usage-counters.ts';
import type { AppendMessage, WriterOptions } from '../../shards/writer-messages.ts';

export interface IntakeLimits extends Pick<WriterOptions, 'bodyLimit' | 'batchLimit' | 'lineLimit' | 'geoipFile'> {
  /** Its bytes, if several threads share them. */
  readonly geoip?: SharedArrayBuffer | undefined;
}

/** A request to be stored. */
export interface RawRequest {
  readonly project: IntakeRules;
  readonly kind: Exclude<AppendMessage['kind'], 'unbind'>;
  readonly context: RequestContext;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly encoding: Encoding;
  readonly slots: SlotData;
}

/** What a request brings. Whether its events were stored before, and what becomes of profiles, is found out as it is stored. */
export interface ParsedRequest {
  readonly receivedAt: number;
  /** Day (UTC) of arrival, and the counters for it; duplicates and stored events are counted later. */
  readonly date: string;
  readonly counts: Counts;
  readonly taken: Taken;
  readonly items: readonly Item[];
  /** To be noted before the items are stored, which are then to be read again. */
  readonly met: readonly MetKind[];
}

export class RequestParser {
  readonly #limits: IntakeLimits;
  readonly #places: Locations | null;
  readonly #intake: Intake;

  constructor(limits: IntakeLimits) {
    this.#limits = limits;
    this.#places = limits.geoipFile === null ? null : openLocations(limits.geoipFile, limits.geoip);
    this.#intake = new Intake({ ...limits, places: this.#places });
  }

  /** Throws AppError if the body as a whole is refused. */
  parse({ project, kind, context, body, encoding, slots }: RawRequest): ParsedRequest {
    const bytes = inflate(body, encoding, kind.endsWith('_lines') ? Infinity : this.#limits.bodyLimit);
    const options = { policy: project.ipPolicy, places: this.#places };
    const scope = new RequestScope(context, project, enrichRequest(context, options));
    const events = new EventCollector(new Slots(slots.entries, slots.isClosed));
    const taken = this.#take(kind, bytes, events, scope);
    const { items, hot } = events;
    return { receivedAt: context.receivedAt, date: scope.date, counts: scope.counts, taken, items, met: hot.met };
  }

  #take(
    kind: RawRequest['kind'],
    bytes: Uint8Array,
    events: EventSink & { clear(): void },
    scope: RequestScope,
  ): Taken {
    const restart = (): void => {
      events.clear();
      scope.restart();
    };
    const target = { events, ipPolicy: scope.ipPolicy, restart };
    if (kind === 'track') return whole(this.#intake.takeBatch(bytes, target, scope));
    if (kind !== 'identify') return whole(this.#intake.takeLines(bytes, kind, target, scope));
    whole(this.#intake.takeIdentify(bytes, target, scope));
    return { accepted: 1, rejected: 0, errors: [], lines: 0 };
  }
}
