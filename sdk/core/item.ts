/** What waits to be sent: events and identifies, in the order of their calls. */

export type Kind = 'track' | 'identify';

export interface Item {
  /** UUIDv7; also the insert id of an event. */
  readonly id: string;
  readonly kind: Kind;
  /** JSON of the event or identify, as sent. */
  readonly text: string;
}

/** Items, oldest first. Only an answer of the server removes them. */
export interface Queue {
  size(): number;
  /** The oldest items, at most `most`, without those in `except`. */
  head(most: number, except: ReadonlySet<string>): readonly Item[];
  remove(ids: ReadonlySet<string>): void;
}

/** A request: the ids of its items, its body and that body's bytes. */
export interface Request {
  readonly kind: Kind;
  readonly members: ReadonlySet<string>;
  readonly body: string;
  readonly bytes: number;
}

/**
 * The request that the oldest of `items` make: one identify, or events up to the next identify, of at most `most` bytes. Takes
 * the first item however large it is. null: there are none.
 */
export function nextRequest(items: readonly Item[], most: number): Request | null {
  const [first] = items;
  if (!first) return null;
  const { kind } = first;
  const texts: string[] = [];
  const members = new Set<string>();
  let bytes = 0;
  for (const { id, kind: other, text } of items) {
    const size = new TextEncoder().encode(text).length + 1;
    if (members.size > 0 && (kind !== 'track' || other !== kind || bytes + size > most - AROUND)) break;
    bytes += size;
    members.add(id);
    texts.push(text);
  }
  const body = kind === 'track' ? `{"sent_at":${Date.now()},"events":[${texts.join()}]}` : first.text;
  return { kind, members, body, bytes: bytes + AROUND };
}

/** Approximate bytes around the events of a request. */
const AROUND = 50;
