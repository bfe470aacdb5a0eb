/** CSV whose first line has the names of an event's fields; other columns are properties. */
import { mappedEvent, noType } from '../../track/field-map.ts';
import { ImportError, type ImportFormat } from '../format.ts';

export const csv: ImportFormat = {
  name: 'csv',
  title: 'CSV',
  reads: ['csv'],
  recognizes: (record) => 'event_type' in record,
  map: (record) => {
    if (!('event_type' in record)) throw new ImportError(noType(record, '--map FILE'));
    return { events: [mappedEvent(new Map(), record)], identifies: [], lost: [] };
  },
};
