/** What is stored of people besides their events: as lists, since there may be a million. */
import { allProfiles } from '../file/profile-table.ts';
import type { Connection } from '../file/shard-file.ts';
import { parseStored } from '../file/stored-bytes.ts';
import type { Profile } from '../shard-reader.ts';

/** One place each, ascending by person. */
export interface StoredProfiles {
  readonly persons: readonly number[];
  /** Infinity: events alone tell. */
  readonly firstSeen: readonly number[];
  /** -Infinity: events alone tell. */
  readonly lastSeen: readonly number[];
  readonly properties: readonly Profile['properties'][];
}

/** Row by row: all their texts together may take hundreds of megabytes. Throws if one is damaged. */
export function readStoredProfiles(connection: Connection): StoredProfiles {
  const persons: number[] = [];
  const firstSeen: number[] = [];
  const lastSeen: number[] = [];
  const properties: Profile['properties'][] = [];
  for (const row of allProfiles(connection)) {
    persons.push(row.person);
    firstSeen.push(row.firstSeen ?? Infinity);
    lastSeen.push(row.lastSeen ?? -Infinity);
    properties.push(row.properties === '{}' ? NO_PROPERTIES : parseStored<Profile['properties']>(row.properties));
  }
  return { persons, firstSeen, lastSeen, properties };
}

/** Shared by all people without properties. */
export const NO_PROPERTIES: Profile['properties'] = Object.freeze({});
