/** Checks answers of the server as they arrive. */
import { ClientError } from './client-error.ts';
import { isRecord, type JsonRecord } from '../../base/is-record.ts';

/** Throws ClientError for anything but a JSON object. */
export function asRecord(value: unknown): JsonRecord {
  if (isRecord(value)) return value;
  throw unexpected('an object');
}

/** Throws ClientError for anything but an array of JSON objects. */
export function asRecords(value: unknown): readonly JsonRecord[] {
  if (Array.isArray(value) && value.every(isRecord)) return value;
  throw unexpected('a list of objects');
}

function unexpected(what: string): ClientError {
  return new ClientError(`The server's answer is not ${what}: is it a Windlass server of this version? See: wl health`);
}
