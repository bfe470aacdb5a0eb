/** A scanned event in the normaliser's form, to compare the two. */
import type { NormalEvent, StoredValue } from '../../../../lib/shards/event.ts';
import {
  type EventContext,
  eventContext,
  eventOrigin,
  eventTime,
} from '../../../../lib/shards/ingest/normalise/context.ts';
import type { BatchRoot } from '../../../../lib/shards/ingest/normalise/batch-root.ts';
import * as scan from '../../../../lib/shards/ingest/scan/scanned-event.ts';

export const RECEIVED_AT = Date.parse('2026-03-08T10:00:00Z');

export function contextOf(root?: BatchRoot): EventContext {
  const request = { receivedAt: RECEIVED_AT, keyKind: 'trusted', ip: null, userAgent: null, place: null } as const;
  return eventContext(request, { id: 'prj_1', retentionDays: 365, ipPolicy: 'full' }, root);
}

export function eventOf(bytes: Uint8Array, event: scan.ScannedEvent, context: EventContext): NormalEvent {
  const text = (field: number): string | null =>
    event.texts[field]! < 0 ? null : textOf(bytes, event.texts[field]!, event.texts[field + scan.END]!);
  const time = eventTime(event.time, context);
  return {
    type: text(scan.EVENT_TYPE) ?? '',
    userId: text(scan.USER_ID),
    deviceId: text(scan.DEVICE_ID),
    sessionId: text(scan.SESSION_ID),
    insertId: text(scan.INSERT_ID),
    idsIgnored: event.idsIgnored,
    time,
    properties: propertiesOf(bytes, event.eventProperties),
    userProperties: propertiesOf(bytes, event.userProperties),
    library: text(scan.LIBRARY),
    origin: eventOrigin(event.originServer, event.clientOriginated, context),
    ip: null,
    userAgent: null,
    valuesTrimmed: 0,
  };
}

function propertiesOf(bytes: Uint8Array, properties: scan.ScannedProperties): [string, StoredValue][] {
  return Array.from({ length: properties.count }, (_, i) => {
    const at = i * scan.PROPERTY_STRIDE;
    const key = textOf(bytes, properties.slots[at + scan.KEY_START]!, properties.slots[at + scan.KEY_END]!);
    return [key, valueOf(bytes, properties, i)];
  });
}

function valueOf(bytes: Uint8Array, properties: scan.ScannedProperties, i: number): StoredValue {
  const at = i * scan.PROPERTY_STRIDE;
  const token = textOf(bytes, properties.slots[at + scan.VALUE_START]!, properties.slots[at + scan.VALUE_END]!);
  switch (properties.slots[at + scan.KIND]) {
    case scan.STRING:
      return { type: 'string', text: token };
    case scan.NUMBER:
      return properties.numbers[i]!;
    case scan.NULL:
      return { type: 'null', text: '' };
    default:
      return { type: 'boolean', text: token };
  }
}

const textOf = (bytes: Uint8Array, start: number, end: number): string =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(start, end));
