/**
 * Ids sent as whole numbers of more digits than a double holds: languages other than JavaScript send them as they are. JSON.parse
 * would round them, and join users whose ids are near each other. They are quoted before it reads them: with a reviver it would
 * take fifty times as long, for whoever likes to send such bodies.
 */

const LONG_ID = /("(?:user|device|session|insert)_id"\s*:\s*)(-?\d{16,})(?=\s*[,}])/g;

/** UTF-16 units of a text that is parsed once more where it has such an id. */
const LARGE = 64 << 10;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** JSON.parse of a body or an event, but such an id of an event is the text of its digits. Throws SyntaxError. */
export function parseKeepingIds(text: string): unknown {
  // What is no JSON may have a hundred thousand places that look like ids, each of which takes a microsecond.
  if (text.length > LARGE && text.search(LONG_ID) >= 0) JSON.parse(text);
  const place = new Place(text);
  return JSON.parse(
    text.replaceAll(LONG_ID, (whole, name: string, digits: string, at: number) =>
      String(Number(digits)) !== digits && place.isInEvent(at) ? `${name}"${digits}"` : whole,
    ),
  );
}

/** Walks along a text of JSON, and knows what encloses each place. */
class Place {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  /** What the outer levels are: code units of their brackets. */
  readonly #outer = [0, 0, 0];

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether a member that begins there is one of an event: of the text itself, or of an object in an array of it. Ask in order. */
  isInEvent(at: number): boolean {
    this.#walkTo(at);
    const [first, second, third] = this.#outer;
    if (first !== OPEN_OBJECT) return false;
    return this.#depth === 1 || (this.#depth === 3 && second === OPEN_ARRAY && third === OPEN_OBJECT);
  }

  #walkTo(end: number): void {
    const text = this.#text;
    for (; this.#at < end; this.#at++) {
      const unit = text.charCodeAt(this.#at);
      if (unit === QUOTE) this.#at = closingQuote(text, this.#at);
      else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
        if (this.#depth < this.#outer.length) this.#outer[this.#depth] = unit;
        this.#depth++;
      } else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) this.#depth--;
    }
  }
}

/** Of the string that opens at `open`; the end of the text if it is not closed. */
function closingQuote(text: string, open: number): number {
  let at = open + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
