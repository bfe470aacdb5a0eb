/**
 * JSON.parse for texts of others. V8 since 12.8 (Node 24 and 26) may give a key that is spelled with an escape the name of a key of
 * an earlier object: it takes the raw `caf\` of `"caf\u00e9"` for the key `caf\` once an object had that one in this place
 * (nodejs/node#63785). So JSON.parse reads no such key; a text that has one is read here, three times as slowly.
 */
import { BYTE } from './byte.ts';

/** What JSON.parse should return. Throws SyntaxError. */
export function readJson(text: string): unknown {
  return hasEscapedKey(text) ? new Reader(text, null).value() : JSON.parse(text);
}

/** The same, but a whole number beyond 2^53, which a double may not hold, is what `keep` makes of its digits. */
export function readJsonWithDigits(text: string, keep: Keep): unknown {
  return LONG_WHOLE.test(text) || hasEscapedKey(text) ? new Reader(text, keep).value() : JSON.parse(text);
}

type Keep = (digits: string) => unknown;

/** Whether JSON.parse of this Node has the fault. */
export function hasFaultyKeys(): boolean {
  JSON.parse(String.raw`{"canary":0,"caf\\":0}`);
  const read: unknown = JSON.parse(String.raw`{"canary":0,"caf\u00e9":0}`);
  return !(typeof read === 'object' && read !== null && 'café' in read);
}

/** Finds all whole numbers beyond 2^53, and further texts that look like one. */
const LONG_WHOLE = /(?:^|[\s:,[])-?(?:9\d{15}|\d{17,})(?:[\s,\]}]|$)/;

/** Exact for JSON; of other texts it may say anything. */
function hasEscapedKey(text: string): boolean {
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at)) {
    at = afterSpace(text, closingQuote(text, at) + 1); // in JSON a backslash is in a string
    if (text.charCodeAt(at) === BYTE.colon) return true;
  }
  return false;
}

/** Offset of the quote that closes the string around `at`; the end of the text or beyond if there is none. */
function closingQuote(text: string, at: number): number {
  let next = at;
  for (let unit = text.charCodeAt(next); unit !== BYTE.quote && next < text.length; unit = text.charCodeAt(next))
    next += unit === BYTE.backslash ? 2 : 1;
  return next;
}

function afterSpace(text: string, at: number): number {
  let next = at;
  for (let unit = text.charCodeAt(next); isSpace(unit); unit = text.charCodeAt(next)) next++;
  return next;
}

const isSpace = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;

/** An object or array being read: its members, and the key of the next. */
type Open = { readonly members: Record<string, unknown>; key: string } | unknown[];

/** Reads a text from its start to its end, with a list of what is open in place of calls that nest: no depth is too much for it. */
class Reader {
  readonly #text: string;
  readonly #keep: Keep | null;
  readonly #open: Open[] = [];
  #at = 0;

  constructor(text: string, keep: Keep | null) {
    this.#text = text;
    this.#keep = keep;
  }

  value(): unknown {
    for (;;) {
      let value = this.#begin();
      if (value === OPENED) continue;
      // Whatever ends with this value is a value itself.
      for (let open = this.#open.at(-1); ; open = this.#open.at(-1)) {
        if (open === undefined) return this.#nothingFollows(value);
        if (Array.isArray(open)) open.push(value);
        else setMember(open.members, open.key, value);
        const unit = this.#next();
        if (unit === BYTE.comma) {
          if (!Array.isArray(open)) open.key = this.#key(this.#next());
          break;
        }
        if (unit !== (Array.isArray(open) ? BYTE.closeArray : BYTE.closeObject)) throw this.#fault(1);
        this.#open.pop();
        value = Array.isArray(open) ? open : open.members;
      }
    }
  }

  /** Reads a value; of an object or array that is not empty only its beginning: `OPENED`. */
  #begin(): unknown {
    const unit = this.#next();
    if (unit === BYTE.quote) return this.#string();
    if (unit === BYTE.openObject) {
      const first = this.#next();
      if (first === BYTE.closeObject) return {};
      this.#open.push({ members: {}, key: this.#key(first) });
      return OPENED;
    }
    if (unit === BYTE.openArray) {
      this.#at = afterSpace(this.#text, this.#at);
      if (this.#text.charCodeAt(this.#at) !== BYTE.closeArray) {
        this.#open.push([]);
        return OPENED;
      }
      this.#at++;
      return [];
    }
    this.#at--;
    for (const [word, value] of WORDS) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    return this.#number();
  }

  /** The key whose first code unit is `first`, which was read; reads its colon too. */
  #key(first: number): string {
    if (first !== BYTE.quote) throw this.#fault(1);
    const key = this.#string();
    if (this.#next() !== BYTE.colon) throw this.#fault(1);
    return key;
  }

  /** The string whose quote was read. */
  #string(): string {
    const text = this.#text;
    const from = this.#at;
    let at = from;
    let unit = text.charCodeAt(at);
    while (unit >= 0x20 && unit !== BYTE.quote && unit !== BYTE.backslash) unit = text.charCodeAt(++at);
    const isPlain = unit === BYTE.quote;
    at = isPlain ? at : closingQuote(text, at);
    this.#at = at + 1;
    if (at >= text.length) throw this.#fault(0);
    // V8 copies so few units of a text; a longer part would keep all of it in memory.
    if (isPlain && at - from <= 12) return text.slice(from, at);
    return String(JSON.parse(text.slice(from - 1, at + 1))); // a string alone: of these it misreads none
  }

  #number(): unknown {
    NUMBER.lastIndex = this.#at;
    const spelling = NUMBER.exec(this.#text)?.[0];
    if (spelling === undefined) throw this.#fault(0);
    this.#at += spelling.length;
    const number = Number(spelling);
    const isLong = !Number.isSafeInteger(number) && Number.isFinite(number) && WHOLE.test(spelling);
    return isLong && this.#keep !== null ? this.#keep(spelling) : number;
  }

  /** Passes white space and a code unit, which it returns; NaN at the end of the text. */
  #next(): number {
    const at = afterSpace(this.#text, this.#at);
    this.#at = at + 1;
    return this.#text.charCodeAt(at);
  }

  #nothingFollows(value: unknown): unknown {
    if (!Number.isNaN(this.#next())) throw this.#fault(1);
    return value;
  }

  /** @param back How many code units ago the fault was. */
  #fault(back: number): SyntaxError {
    const at = this.#at - back;
    const isEnd = at >= this.#text.length;
    return new SyntaxError(isEnd ? 'Unexpected end of JSON input' : `Unexpected character in JSON at position ${at}`);
  }
}

const OPENED = Symbol('an object or array');

const WORDS = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WHOLE = /^-?\d+$/;

/** Unlike an assignment, this makes `__proto__` an ordinary key. */
function setMember(members: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') members[key] = value;
  else Object.defineProperty(members, key, { value, writable: true, enumerable: true, configurable: true });
}
