/** Address → location, from a database file in MaxMind's format. */
import { readFileSync } from 'node:fs';
import { type CityResponse, Reader } from 'maxmind';
import type { GeoLocation } from '../../request.ts';
import { parseIp } from './ip.ts';
import { remembered } from '../../../base/lru.ts';

/** Addresses of some minutes of traffic. An entry takes less than 1 KB. */
const CACHE = { entries: 8192, keyLength: 64 };

export interface Locations {
  /** The location of an address; null if the database does not know it or the text is no address. */
  lookup(ip: string): GeoLocation | null;
}

/** The bytes of a database, for several threads. Throws an error naming the file if it cannot be read. */
export function sharedDatabase(file: string): SharedArrayBuffer {
  return readAs(file, () => {
    const bytes = readFileSync(file);
    const shared = new SharedArrayBuffer(bytes.byteLength);
    new Uint8Array(shared).set(bytes);
    return shared;
  });
}

/**
 * A database of cities or countries, in memory. Throws an error naming the file if it cannot be read as one.
 * @param shared Its bytes, if they were read already.
 */
export function openLocations(file: string, shared?: SharedArrayBuffer): Locations {
  const bytes = (): Buffer => (shared ? Buffer.from(shared) : readFileSync(file));
  const reader = readAs(file, () => new Reader<CityResponse>(bytes()));
  const find = remembered(CACHE, (ip): { readonly place: GeoLocation | null } => {
    const address = parseIp(ip);
    if (address === null || (reader.metadata.ipVersion === 4 && address.includes(':'))) return { place: null };
    return { place: locationOf(reader.get(address)) };
  });
  return { lookup: (ip) => find(ip).place };
}

function readAs<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${file} cannot be read as a database in MaxMind format`, { cause: error });
  }
}

/** Codes for country and continent, English names for region and city. */
function locationOf(found: CityResponse | null): GeoLocation | null {
  if (found === null) return null;
  const region = found.subdivisions?.[0];
  const { location } = found;
  const texts: Readonly<Record<keyof GeoLocation, string | undefined>> = {
    country: found.country?.iso_code ?? found.registered_country?.iso_code,
    region: region?.names?.en ?? region?.iso_code,
    city: found.city?.names?.en,
    continent: found.continent?.code,
    timezone: location?.time_zone,
    latitude: location?.latitude?.toString(),
    longitude: location?.longitude?.toString(),
  };
  const known = Object.entries(texts).filter(([, text]) => text !== undefined && text !== '');
  return known.length === 0 ? null : Object.fromEntries(known);
}
