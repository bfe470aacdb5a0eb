/** The body of a request → what it brings, in order. Nothing here asks ClickHouse: all of it depends on the request alone. */
import {
  type AppendMessage,
  type Counts,
  type Encoding,
  enrichRequest,
  type EventSink,
  inflate,
  Intake,
  type IntakeRules,
  type Locations,
  openLocations,
  type RequestContext,
  RequestScope,
  type BodyResult,
  whole,
  type WriterOptions,
} from '../../../../lib/seam.ts';
import { Slots, type MetKind, type SlotData } from '../hot/slots.ts';
import { EventCollector, type Item } from './event-collector.ts';

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
  readonly taken: BodyResult;
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
  ): BodyResult {
    const restart = (): void => {
      events.clear();
      scope.restart();
    };
    const target = { events, restart };
    if (kind === 'track') return whole(this.#intake.takeBatch(bytes, target, scope));
    return kind === 'identify'
      ? whole(this.#intake.takeIdentify(bytes, target, scope))
      : whole(this.#intake.takeLines(bytes, kind, target, scope));
  }
}
