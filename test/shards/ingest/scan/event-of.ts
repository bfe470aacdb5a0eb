/** A scanned event in the normaliser's form, to compare the two. */
import type { NormalEvent, PropertyValue } from '../../../../lib/shards/event.ts';
import {
  type EventContext,
  eventContext,
  eventOrigin,
  scannedTime,
  type BatchRoot,
} from '../../../../lib/shards/ingest/normalise/context.ts';
import { type Invalid, normaliseEvent } from '../../../../lib/shards/ingest/normalise/event.ts';
import { Remarks } from '../../../../lib/shards/ingest/normalise/remarks.ts';
import * as scan from '../../../../lib/shards/ingest/scan/scanned-event.ts';

export const RECEIVED_AT = Date.parse('2026-03-08T10:00:00Z');

export function contextOf(root?: BatchRoot): EventContext {
  const request = { receivedAt: RECEIVED_AT, keyKind: 'trusted', ip: null, userAgent: null, place: null } as const;
  return eventContext(request, { id: 'prj_1', retentionDays: 365, ipPolicy: 'full' }, root);
}

/** An event with what is counted, and how much is told of it. */
type CountedEvent = NormalEvent & { readonly idsIgnored: number; readonly told: number };

/** The event that a parsed value means. */
export function parsedEvent(value: unknown, context: EventContext): CountedEvent | Invalid {
  const remarks = new Remarks();
  const event = normaliseEvent(value, context, remarks);
  return 'error' in event ? event : { ...event, idsIgnored: remarks.idsIgnored, told: remarks.warnings.length };
}

export function eventOf(bytes: Uint8Array, event: scan.ScannedEvent, context: EventContext): CountedEvent {
  const text = (field: number): string | null =>
    event.texts[field]! < 0 ? null : textOf(bytes, event.texts[field]!, event.texts[field + scan.PART.end]!);
  const time = scannedTime(event.time, context);
  return {
    type: text(scan.TEXT.type) ?? '',
    userId: text(scan.TEXT.user),
    deviceId: text(scan.TEXT.device),
    sessionId: text(scan.TEXT.session),
    insertId: text(scan.TEXT.insert),
    idsIgnored: event.idsIgnored,
    time: Number.isNaN(time) ? context.receivedAt : time,
    told: Number.isNaN(time) ? 1 : 0,
    properties: propertiesOf(bytes, event.eventProperties),
    userProperties: propertiesOf(bytes, event.userProperties),
    library: text(scan.TEXT.library),
    origin: eventOrigin(event.originServer, event.clientOriginated, context),
    ip: null,
    userAgent: null,
    importId: null,
    stated: [],
  };
}

function propertiesOf(bytes: Uint8Array, properties: scan.ScannedProperties): [string, PropertyValue][] {
  return Array.from({ length: properties.count }, (_, i) => {
    const at = i * scan.SLOT.length;
    const key = textOf(bytes, properties.slots[at + scan.SLOT.keyStart]!, properties.slots[at + scan.SLOT.keyEnd]!);
    return [key, valueOf(bytes, properties, i)];
  });
}

function valueOf(bytes: Uint8Array, properties: scan.ScannedProperties, i: number): PropertyValue {
  const at = i * scan.SLOT.length;
  const token = textOf(bytes, properties.slots[at + scan.SLOT.valueStart]!, properties.slots[at + scan.SLOT.valueEnd]!);
  switch (properties.slots[at + scan.SLOT.kind]) {
    case scan.KIND.string:
      return { type: 'string', text: token };
    case scan.KIND.number:
      return properties.numbers[i]!;
    case scan.KIND.null:
      return { type: 'null', text: '' };
    default:
      return { type: 'boolean', text: token };
  }
}

const textOf = (bytes: Uint8Array, start: number, end: number): string =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(start, end));
