/** Everything that a shard stores of a world, read back from its segments, next to what the oracle makes of it. */
import type { Column, Segment, Snapshot } from '../../lib/shards/shard-reader.ts';
import type { StoredShardReader } from '../../lib/shards/read/stored-shard-reader.ts';
import type { Facts } from '../oracle/world.ts';
import { readJson } from '../../lib/base/text/read-json.ts';

/** An event or a profile as plain data; keys of objects are sorted, as columns have no order. */
export type Fact = { readonly [name: string]: unknown };

export function eventsInShard(reader: StoredShardReader, snapshot: Snapshot): Fact[] {
  const identity = reader.identity(snapshot.identityVersion);
  const facts = snapshot.segments.flatMap(({ id }) => {
    const segment = reader.segment(id);
    const persons = segment.persons(identity);
    return Array.from({ length: segment.rows }, (_, row) => {
      const person = persons[row] ?? 0;
      return {
        arrival: segment.arrivals()[row] ?? 0,
        time: segment.times()[row] ?? 0,
        person: person === 0 ? null : reader.ids().text(person),
        insertId: printedId(segment.insertIds().text(row)),
        ...ownFields(segment, row),
      };
    });
  });
  facts.sort((a, b) => a.time - b.time || a.arrival - b.arrival);
  return facts.map(({ arrival: _arrival, ...fact }) => fact);
}

/** Fields of a row by column name. */
function ownFields(segment: Segment, row: number): { [key: string]: unknown } {
  const present = [...segment.columnKeys()].sort().flatMap((key): [string, unknown][] => {
    const value = valueAt(segment.column(key), row);
    return value === undefined ? [] : [[key, value]];
  });
  return { fields: Object.fromEntries(present) };
}

function valueAt(column: Column | null, row: number): unknown {
  const code = column?.codes?.[row] ?? 0;
  if (code !== 0) {
    const { type, text } = { type: column?.dictionary?.type(code), text: column?.dictionary?.text(code) ?? '' };
    return type === 'string' ? text : type === 'null' ? null : readJson(text);
  }
  const numbers = column?.numbers;
  if (!numbers) return undefined;
  const at = numbers.rows === null ? row : numbers.rows.indexOf(row);
  return at < 0 ? undefined : numbers.values[at];
}

export function eventsOfOracle({ events }: Facts): Fact[] {
  return events.map((event) => {
    const stored = Object.entries(event.enriched).filter(([name]) => !['_url', '_title', '_referrer'].includes(name));
    const fields: [string, unknown][] = [
      ['event_type', event.type],
      ['user_id', event.userId],
      ['device_id', event.deviceId],
      ['session_id', event.sessionId],
      ...stored,
      ...Object.entries(event.properties).map(([key, value]): [string, unknown] => [`p:${key}`, value]),
      ...Object.entries(event.userProperties).map(([key, value]): [string, unknown] => [`u:${key}`, value]),
    ];
    const present = fields.filter(([key, value]) => value !== null || /^[pu]:/.test(key));
    return {
      time: event.time,
      person: event.distinctId,
      insertId: printedId(event.insertId),
      fields: Object.fromEntries(present.sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  });
}

export function profilesInShard(reader: StoredShardReader, snapshot: Snapshot): Fact[] {
  return inOrder(
    reader.profiles(snapshot).map(({ person, firstSeen, lastSeen, properties }) => ({
      userId: reader.ids().text(person),
      firstSeen,
      lastSeen,
      properties: properties['email_domain'] === undefined ? properties : { ...properties, email_domain: undefined },
    })),
  );
}

export function profilesOfOracle({ profiles }: Facts): Fact[] {
  return inOrder([...profiles.values()]);
}

function inOrder(facts: readonly { readonly userId: string }[]): Fact[] {
  return facts
    .toSorted((a, b) => (a.userId < b.userId ? -1 : 1))
    .map(({ userId, ...fact }): Fact => ({ userId, ...fact }));
}

/** Ids made by a store differ between stores. */
function printedId(id: string): string {
  return id.startsWith('evt_') ? 'evt_' : id;
}
