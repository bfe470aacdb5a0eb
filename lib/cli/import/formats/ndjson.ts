/** Events and identifies as Windlass takes them, one a line. */
import { isRecord } from '../../../base/is-record.ts';
import { FIELDS, noType } from '../../track/field-map.ts';
import { ImportError, type ImportFormat, type Loss, type Mapped, type SourceRecord } from '../format.ts';

export const ndjson: ImportFormat = {
  name: 'ndjson',
  title: 'lines of JSON as Windlass takes them',
  reads: ['lines'],
  recognizes: (record) => 'event_type' in record || isIdentify(record),
  map,
};

const IDENTIFY_FIELDS: ReadonlySet<string> = new Set([
  ...['user_id', 'device_id', 'time', 'user_properties', 'user_property_ops'],
]);

/** Exports say which lines are identifies: one may have a user and a time alone. */
const isIdentify = (record: SourceRecord): boolean =>
  'user_id' in record &&
  (record['type'] === 'identify' ||
    ['device_id', 'user_properties', 'user_property_ops'].some((name) => name in record));

/** @param record An event, or, without `event_type`, an identify. */
export function map(record: SourceRecord): Mapped {
  if ('event_type' in record) {
    const { kept, lost } = known(record, FIELDS);
    return { events: [kept], identifies: [], lost };
  }
  if (!isIdentify(record)) throw new ImportError(noType(record, '--map FILE'));
  const { kept, lost } = known(record, IDENTIFY_FIELDS);
  return { events: [], identifies: [kept], lost };
}

function known(
  record: SourceRecord,
  fields: ReadonlySet<string>,
): { readonly kept: SourceRecord; readonly lost: readonly Loss[] } {
  const strange = Object.keys(record).filter((name) => !fields.has(name) && name !== 'import_id');
  if (strange.length === 0) return { kept: record, lost: [] };
  const kept = Object.fromEntries(Object.entries(record).filter(([name]) => !strange.includes(name)));
  const why = 'no field of an event: name it in a --map';
  const lost = strange.filter((name) => isFilled(record[name]) && record[name] !== 'identify');
  return { kept, lost: lost.map((field) => ({ field, why })) };
}

/** Whether a value says anything. */
export const isFilled = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(isRecord(value) && Object.keys(value).length === 0);
