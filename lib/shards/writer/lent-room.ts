/** The writer's side of the room for bodies (body-room.ts). */
import { bytesAt, take } from '../../primitives/memory.ts';
import type { BodyPlace, LentRoom } from './body-room.ts';

/** Those that were never used take no memory. */
const BYTES = 16 << 20;

/** A room for the bodies of one event loop. */
export function lendRoom(): LentRoom {
  const from = take(BYTES);
  return { memory: bytesAt(from, 0).buffer, from, bytes: BYTES };
}

export const bodyAt = ({ at, length }: BodyPlace): Uint8Array => bytesAt(at, length);
