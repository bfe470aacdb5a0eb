/** Rows of PostHog's CSVs, whose objects lie in columns such as `properties.$browser` or `*.event` → events as its JSON has them. */
import { saysNothing, jsonOf, spelledAsNumber, recordOf } from '../draft.ts';
import type { SourceRecord } from '../format.ts';

/** Columns of the inner of an object, by the longest name first. */
const OBJECTS = [
  ['person.properties.', 'person_properties'],
  ['person_properties.', 'person_properties'],
  ['properties.$set_once.', '$set_once'],
  ['properties.$set.', '$set'],
  ['properties.', 'properties'],
] as const;

type ObjectName = (typeof OBJECTS)[number][1];

/** The record itself, if it has no such columns. */
export function eventOfRow(record: SourceRecord): SourceRecord {
  if (!Object.keys(record).some((column) => column.startsWith('*.') || inner(column) !== null)) return record;
  const fields: [string, unknown][] = [];
  const objects: Record<ObjectName, [string, unknown][]> = {
    properties: [],
    person_properties: [],
    $set: [],
    $set_once: [],
  };
  for (const [column, value] of Object.entries(record)) {
    if (saysNothing(value)) continue;
    const name = column.replace(/^\*\./, '');
    const found = inner(name);
    if (found === null) fields.push([name, value]);
    else objects[found.of].push([found.name, typed(value)]);
  }
  const whole = Object.fromEntries(fields) as SourceRecord;
  const changes = (['$set', '$set_once'] as const).map((name) => [name, Object.fromEntries(objects[name])] as const);
  return {
    ...whole,
    properties: Object.fromEntries([
      ...changes,
      ...Object.entries(recordOf(whole, 'properties')),
      ...objects.properties,
    ]),
    person_properties: Object.fromEntries(objects.person_properties),
  };
}

function inner(column: string): { readonly of: ObjectName; readonly name: string } | null {
  for (const [prefix, of] of OBJECTS) if (column.startsWith(prefix)) return { of, name: column.slice(prefix.length) };
  return null;
}

/** The value that a cell spells: a CSV has no types. */
function typed(value: unknown): unknown {
  if (value === 'True' || value === 'true') return true;
  if (value === 'False' || value === 'false') return false;
  return jsonOf(spelledAsNumber(value));
}
