import { Room } from '../../primitives/memory.ts';
import { decodeTriples, type DecodedTriples } from './encoding/by-triple.ts';
import { bytesOf, type StoredBytes } from '../file/stored-bytes.ts';

const room = new Room();

/** In the memory of the thread until the next call. Throws if the segment has codes by triple but lacks the triples. */
export function storedTriples(column: StoredBytes | undefined): DecodedTriples {
  if (!column) throw new Error('a segment lacks the triples of its rows');
  return decodeTriples(bytesOf(column), room);
}
