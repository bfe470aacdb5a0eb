import { Room } from '../../primitives/memory.ts';
import { decodePlaces, type DecodedPlaces } from './encoding/placed.ts';
import { bytesOf, type StoredBytes } from '../file/stored-bytes.ts';

const room = new Room();

/** In the memory of the thread until the next call. Throws if the segment has codes by place but lacks the places. */
export function storedPlaces(column: StoredBytes | undefined): DecodedPlaces {
  if (!column) throw new Error('a segment lacks the places of its rows');
  return decodePlaces(bytesOf(column), room);
}
