/** Known fields of an event, found by the bytes of their keys. */
import { MAX_EVENT_TYPE, MAX_ID, MAX_LIBRARY } from '../normalise/limits.ts';
import { hashBytes } from '../../hashing/hash.ts';
import { DEVICE_ID, EVENT_TYPE, INSERT_ID, LIBRARY, SESSION_ID, USER_ID } from './scanned-event.ts';

export interface KnownField {
  /** `odd`: events with this field are not ordinary. */
  readonly role:
    'odd' | 'text' | 'id' | 'time' | 'origin' | 'clientOriginated' | 'event_properties' | 'user_properties';
  /** Index into `ScannedEvent.texts`; -1 if the field is no text. */
  readonly text: number;
  /** Characters (code points) that a text may have here. */
  readonly limit: number;
  readonly index: number;
  readonly key: Uint8Array;
}

const FIELDS: readonly KnownField[] = [
  field(0, 'event_type', 'text', { text: EVENT_TYPE, limit: MAX_EVENT_TYPE }),
  field(1, 'user_id', 'id', { text: USER_ID, limit: MAX_ID }),
  field(2, 'device_id', 'id', { text: DEVICE_ID, limit: MAX_ID }),
  field(3, 'session_id', 'id', { text: SESSION_ID, limit: MAX_ID }),
  field(4, 'insert_id', 'id', { text: INSERT_ID, limit: MAX_ID }),
  field(5, 'library', 'text', { text: LIBRARY, limit: MAX_LIBRARY }),
  field(6, 'ip', 'odd'),
  field(7, 'user_agent', 'odd'),
  field(8, 'time', 'time'),
  field(9, 'origin', 'origin'),
  field(10, 'clientOriginated', 'clientOriginated'),
  field(11, 'event_properties', 'event_properties'),
  field(12, 'user_properties', 'user_properties'),
];

const TABLE_MASK = 63;
/** By the low bits of the key's hash; fields with the same bits share a list. */
const TABLE: readonly (readonly KnownField[])[] = Array.from({ length: TABLE_MASK + 1 }, (_, slot) =>
  FIELDS.filter((f) => (hashBytes(f.key, 0, f.key.length) & TABLE_MASK) === slot),
);

/** The field whose key is bytes[start, end) with the given hash, or null. */
export function fieldOfKey(bytes: Uint8Array, start: number, end: number, hash: number): KnownField | null {
  for (const known of TABLE[hash & TABLE_MASK]!) if (isKey(known.key, bytes, start, end)) return known;
  return null;
}

/** Whether bytes[start, end) are those of a key. */
export function isKey(key: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== key.length) return false;
  for (let i = 0; i < key.length; i++) if (bytes[start + i] !== key[i]) return false;
  return true;
}

function field(
  index: number,
  name: string,
  role: KnownField['role'],
  { text = -1, limit = 0 }: { text?: number; limit?: number } = {},
): KnownField {
  return { role, text, limit, index, key: new TextEncoder().encode(name) };
}
