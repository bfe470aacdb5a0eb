/** Collects what the reading of a body finds: rows of events with their ids, changes of profiles, bindings. */
import {
  type EnrichedText,
  eventOrigin,
  type EventSink,
  type IngestOrigin,
  type NormalEvent,
  type NormalIdentify,
  scanned as scan,
  profileChangesOf,
  type RequestScope,
  storedScanned,
} from '../../../../lib/seam.ts';
import { HotValues } from '../hot/hot-values.ts';
import type { Slots } from '../hot/slots.ts';
import { eventRow } from './event-row.ts';

/** One thing that a request brings. Plain data: it crosses threads. */
export type Item =
  | {
      readonly kind: 'event';
      readonly insertId: string | null;
      readonly isImported: boolean;
      /** As `eventRow` makes it. */
      readonly row: string;
      /** What it changes of its user's profile, if it is no duplicate. */
      readonly change: NormalIdentify | null;
    }
  | { readonly kind: 'identify'; readonly change: NormalIdentify; readonly deviceId: string | null }
  | { readonly kind: 'unbind'; readonly deviceId: string };

type Texts = Pick<NormalEvent, 'userId' | 'deviceId' | 'sessionId' | 'insertId'>;

export class EventCollector implements EventSink {
  items: Item[] = [];
  readonly hot: HotValues;

  constructor(slots: Slots) {
    this.hot = new HotValues(slots);
  }

  clear(): void {
    this.items = [];
  }

  addScanned(bytes: Uint8Array, event: scan.ScannedEvent, scope: RequestScope): void {
    const text = (field: number): string | null => textAt(bytes, event.texts, field);
    const origin = eventOrigin(event.originServer, event.clientOriginated, scope.event);
    const library = text(scan.TEXT.library);
    this.#add(
      {
        ...{ type: text(scan.TEXT.type) ?? '', time: event.time, importId: null },
        ...{ userId: text(scan.TEXT.user), deviceId: text(scan.TEXT.device), sessionId: text(scan.TEXT.session) },
        insertId: text(scan.TEXT.insert),
        properties: storedScanned(bytes, event.eventProperties),
        userProperties: storedScanned(bytes, event.userProperties),
      },
      enrichedOf(library, null, scope.enriched[origin], origin),
      scope,
    );
  }

  addNormal(event: NormalEvent, fields: readonly EnrichedText[] | null, scope: RequestScope): void {
    const { library, importId, origin } = event;
    this.#add(event, enrichedOf(library, importId, fields ?? scope.enriched[origin], origin), scope);
  }

  addIdentify(change: NormalIdentify, scope: RequestScope): void {
    this.items.push({ kind: 'identify', change, deviceId: change.deviceId ?? scope.context.device ?? null });
  }

  #add(
    event: Texts & Pick<NormalEvent, 'type' | 'time' | 'properties' | 'userProperties' | 'importId'>,
    enriched: readonly EnrichedText[],
    { context, event: rules }: RequestScope,
  ): void {
    const deviceId = event.deviceId ?? context.device ?? null;
    const row = eventRow({ ...event, deviceId, received: context.receivedAt, enriched }, this.hot);
    const { insertId, importId } = event;
    this.items.push({ kind: 'event', insertId, isImported: importId !== null, row, change: profileChangesOf(event, rules) }); // prettier-ignore
  }
}

function enrichedOf(
  library: string | null,
  importId: string | null,
  fields: readonly EnrichedText[],
  origin: IngestOrigin,
): readonly EnrichedText[] {
  return [
    ...(library === null ? [] : [['_library', library] as const]),
    ...(importId === null ? [] : [['_import_id', importId] as const]),
    ...fields,
    ['_ingest_origin', origin],
  ];
}

function textAt(bytes: Uint8Array, texts: Int32Array, field: number): string | null {
  const start = texts[field]!;
  return start < 0
    ? null
    : Buffer.from(bytes.buffer, bytes.byteOffset + start, texts[field + scan.PART.end]! - start).toString();
}
