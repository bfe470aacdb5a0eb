/** Links from the ids in answers to the page of the person. */
import type { Envelope } from '../lib/dashboards/data.ts';

/** Names in the fragment of that page: of a person, or of a device that may be somebody's. */
export const PERSON = 'person';
export const DEVICE = 'device';

/** Columns with the id of a person, or of a device; the first that a row has names who it is of. */
export const PERSON_IDS = ['distinct_id', 'user_id', 'device_id'];

/** null: the cell is no id, or whoever looks may not see people. @param path Of the page; '' if there is none for them. */
export function personAddress(path: string, row: Envelope['rows'][number], column: string): string | null {
  const id = row[column];
  if (path === '' || !PERSON_IDS.includes(column) || typeof id !== 'string' || id === '') return null;
  const person = column === 'device_id' ? row['distinct_id'] : id;
  const [name, value] = typeof person === 'string' && person !== '' ? [PERSON, person] : [DEVICE, id];
  return `${path}#${new URLSearchParams({ [name]: value }).toString()}`;
}
