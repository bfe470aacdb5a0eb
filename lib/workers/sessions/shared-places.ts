/** Sessions that have events in several segments, with a place among the sessions of each of these. */
import { Lease } from '../../primitives/memory.ts';
import { PairIds } from '../groups/pair-ids.ts';
import type { StateOwner } from '../metrics/state-array.ts';
import { codesOf } from './row-keys.ts';
import type { FormedSessions, SegmentSessions } from './segment-sessions.ts';
import { ENTRY_BYTES } from '../budget.ts';

/** Places whose session has other places too, usually because it continues in the next segment; in parallel arrays. */
export interface SharedPlaces {
  /** Which segment's sessions each is among: ascending, then by place. */
  readonly pieces: Uint32Array;
  readonly places: Uint32Array;
  /** The session of each: a number below `count`. */
  readonly groups: Uint32Array;
  readonly count: number;
}

/** If segments do not overlap, there are few. Some may turn out to share nothing: then they form a group of one. */
export function sharedPlaces(pieces: readonly SegmentSessions[], owner: StateOwner): SharedPlaces {
  const { budget } = owner;
  const bounds = pieces.map(({ segment }) => codesOf(segment));
  const low = bounds.reduce((least, one) => Math.min(least, one.low), Infinity) & ~31;
  const high = bounds.reduce((most, one) => Math.max(most, one.high), 0);
  const words = pieces.length < 2 ? 0 : ((high - low) >>> 5) + 1;
  const bytes = words * 8;
  budget.take(bytes);
  using lease = new Lease();
  const repeated = lease.noWords(words);
  const any = words > 0 && markRepeated(pieces, low, { repeated, seen: lease.noWords(words) });
  const shared = group(pieces, any ? listRepeated(pieces, low, repeated) : { pieces: [], places: [] }, owner);
  budget.release(bytes);
  return shared;
}

/** Sets the bits of codes that occur twice. Plain form: `if (seen.has(code)) repeated.add(code); seen.add(code)`. */
function markRepeated(
  pieces: readonly SegmentSessions[],
  low: number,
  { repeated, seen }: { readonly repeated: Uint32Array; readonly seen: Uint32Array },
): boolean {
  let any = 0;
  for (const { formed } of pieces) {
    const { codes, bits } = formed;
    if (bits !== null) {
      const start = (bits.low - low) >>> 5;
      for (let at = 0; at < bits.words.length; at++) {
        const [known, own] = [seen[start + at]!, bits.words[at]!];
        any |= known & own;
        repeated[start + at]! |= known & own;
        seen[start + at] = known | own;
      }
      continue;
    }
    for (let at = 0; at < codes.length; at++) {
      const word = (codes[at]! - low) >>> 5;
      const [known, own] = [seen[word]!, 1 << codes[at]!];
      any |= known & own;
      repeated[word]! |= known & own;
      seen[word] = known | own;
    }
  }
  return any !== 0;
}

interface Found {
  readonly pieces: number[];
  readonly places: number[];
}

function listRepeated(pieces: readonly SegmentSessions[], low: number, repeated: Uint32Array): Found {
  const found: Found = { pieces: [], places: [] };
  for (const [piece, { formed }] of pieces.entries()) {
    const { codes } = formed;
    for (let at = 0; at < codes.length; at++) {
      if ((repeated[(codes[at]! - low) >>> 5]! & (1 << codes[at]!)) === 0) continue;
      found.pieces.push(piece);
      found.places.push(at);
    }
  }
  return found;
}

function group(pieces: readonly SegmentSessions[], found: Found, owner: StateOwner): SharedPlaces {
  owner.budget.take(found.places.length * ENTRY_BYTES);
  const places = Uint32Array.from(found.places);
  const formed = (at: number): FormedSessions => pieces[found.pieces[at]!]!.formed;
  const pairs = new PairIds(owner);
  const groups = pairs.idsOf(
    places.map((place, at) => formed(at).persons?.[place] ?? 0),
    places.map((place, at) => formed(at).codes[place]!),
  );
  const count = pairs.size;
  pairs.release();
  return { pieces: Uint32Array.from(found.pieces), places, groups, count };
}
