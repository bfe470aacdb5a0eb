/**
 * Tests over dictionaries as tables: byte `code` is 1 where the value of the code passes. A test runs once per value, not per
 * row; tables are kept between queries and are extended only by new codes.
 */
import type { PlanLiteral, Test } from '../../dsl/plan/plan.ts';
import { formatTime } from '../../dsl/time/format-time.ts';
import type { Zone } from '../../dsl/time/zone.ts';
import { compileTest, looksIntoText, type Value } from '../../dsl/plan/value.ts';
import type { Lease } from '../../primitives/memory.ts';
import { type Budget, ENTRY_BYTES } from '../budget.ts';
import type { ValueDictionary } from '../rows/field-column.ts';
import { threshold } from '../../base/threshold.ts';

export interface TestTable {
  /** Indexed by code; at least `dictionary.size + 1` long. */
  readonly passes: Uint8Array;
  /** How many codes pass. */
  readonly count: number;
  /** One of them, if any does. */
  readonly one: number;
  /** Codes tested so far: the dictionary may have more by now, and the table room for them. */
  readonly size: number;
}

interface Kept extends TestTable {
  passes: Uint8Array;
  count: number;
  one: number;
  size: number;
}

/** From this size on, a test for certain texts asks the dictionary for their codes. */
const LOOK_UP_FROM = threshold('texts looked up in a dictionary', 1_024);
/** Values between two checkpoints: a regular expression may take microseconds each, on long texts a millisecond. */
const CHECK_EVERY = 64;

/** Where test tables come from. */
export interface Tables {
  /** The table of a test over all codes that the dictionary has now. After an interrupting checkpoint the next call continues. */
  of(test: Test, dictionary: ValueDictionary, checkpoint: () => void): TestTable;
}

export class TestTables implements Tables {
  readonly #maxBytes: number;
  readonly #tables = new Map<string, Kept>();
  /** Codes of values other than strings. */
  readonly #odd = new WeakMap<ValueDictionary, { size: number; codes: number[] }>();
  #bytes = 0;

  /** @param maxBytes Bytes of tables kept between queries, with their names. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  of(test: Test, dictionary: ValueDictionary, checkpoint: () => void): TestTable {
    const name = `${JSON.stringify(test)} ${dictionary.key}`;
    const kept = this.#tables.get(name) ?? this.#begin(name);
    this.#tables.delete(name); // to the end: the first is always the least recently used
    this.#tables.set(name, kept);
    if (kept.size < dictionary.size) this.#extend(kept, test, dictionary, checkpoint);
    this.#evict(kept);
    return kept;
  }

  /** Code 0 is looked up even if a dictionary has no values: primitives read the table wherever a code leads. */
  #begin(name: string): Kept {
    this.#bytes += 1 + bytesOfName(name);
    return { passes: new Uint8Array(1), count: 0, one: 0, size: 0 };
  }

  clear(): void {
    this.#tables.clear();
    this.#bytes = 0;
  }

  #extend(kept: Kept, test: Test, dictionary: ValueDictionary, checkpoint: () => void): void {
    const { size } = dictionary;
    if (kept.passes.length <= size) {
      const larger = new Uint8Array(size + 1 + (kept.size >>> 1)); // room to grow, so that growing dictionaries rarely copy
      larger.set(kept.passes);
      this.#bytes += larger.length - kept.passes.length;
      kept.passes = larger;
    }
    const texts = size - kept.size > LOOK_UP_FROM.value ? textsOf(test) : null;
    if (texts !== null && dictionary.find) this.#lookUp(kept, texts, test, dictionary);
    else runTest(kept, test, dictionary, checkpoint);
    kept.size = size;
  }

  /** Finds strings with the dictionary's own index; values of other types have texts too and are few. */
  #lookUp(kept: Kept, texts: readonly string[], test: Test, dictionary: ValueDictionary): void {
    const passes = testOf(test, dictionary);
    const found = texts.map((text) => dictionary.find?.(text) ?? 0);
    for (const code of new Set([...found, ...this.#oddCodes(dictionary)])) {
      if (code <= kept.size || !passes(code)) continue;
      add(kept, code);
    }
  }

  #oddCodes(dictionary: ValueDictionary): readonly number[] {
    const odd = this.#odd.get(dictionary) ?? { size: 0, codes: [] };
    for (let code = odd.size + 1; code <= dictionary.size; code++)
      if (dictionary.type(code) !== 'string') odd.codes.push(code);
    odd.size = dictionary.size;
    this.#odd.set(dictionary, odd);
    return odd.codes;
  }

  #evict(newest: Kept): void {
    for (const [name, kept] of this.#tables) {
      if (this.#bytes <= this.#maxBytes || kept === newest) return;
      this.#tables.delete(name);
      this.#bytes -= kept.passes.length + bytesOfName(name);
    }
  }
}

/**
 * The test tables that a part needs, whatever the thread keeps or drops. Those of a dictionary that all segments share stay until
 * the query ends, in its memory: each segment asks for them, and with millions of ids it takes a second to make one, and to copy
 * one for each segment took three quarters of a question. Others are needed until their segment is read.
 */
export class HeldTables implements Tables {
  readonly #tables: Tables;
  readonly #owner: Owner;
  readonly #held = new Map<string, Held>();

  constructor(tables: Tables, owner: Owner) {
    this.#tables = tables;
    this.#owner = owner;
  }

  of(test: Test, dictionary: ValueDictionary, checkpoint: () => void): TestTable {
    const { budget, memory, isShared } = this.#owner;
    const name = `${JSON.stringify(test)} ${dictionary.key}`;
    const held = this.#held.get(name);
    if (held !== undefined && held.table.size >= dictionary.size) return held.table; // it may have room for more
    const table = this.#tables.of(test, dictionary, checkpoint);
    const bytes = table.passes.length;
    budget.take(bytes - (held?.bytes ?? 0));
    const stays = isShared(dictionary.key);
    const own = stays ? { ...table, passes: memory.hold(table.passes) } : table;
    this.#held.set(name, { table: own, bytes, stays });
    return own;
  }

  /** Lets go of what was needed for one segment. */
  endSegment(): void {
    for (const [name, { bytes, stays }] of this.#held) {
      if (stays) continue;
      this.#held.delete(name);
      this.#owner.budget.release(bytes);
    }
  }
}

/** The query. */
interface Owner {
  readonly budget: Budget;
  readonly memory: Lease;
  /** Whether all segments share the dictionary with this key. */
  readonly isShared: (key: string) => boolean;
}

interface Held {
  readonly table: TestTable;
  readonly bytes: number;
  readonly stays: boolean;
}

/** What a table takes besides its bytes: its name has the whole test. */
const bytesOfName = (name: string): number => ENTRY_BYTES + 2 * name.length;

/** Whether a test compares the text of a time instead of its milliseconds. */
function asksText(test: Test): boolean {
  if (test.op === 'equals' || test.op === 'has' || test.op === 'compare') return test.literal.type === 'string';
  return looksIntoText(test);
}

export function numberTest(test: Test, times: boolean, zone: Zone): (n: number) => boolean {
  if (times && test.op === 'in') {
    const tests = test.literals.map((literal) => numberTest({ op: 'equals', literal }, times, zone));
    return (n) => tests.some((passes) => passes(n));
  }
  const passes = compileTest(test);
  return times && asksText(test) ? (n) => passes({ type: 'string', text: formatTime(n, zone) }) : passes;
}

function add(kept: Kept, code: number): void {
  kept.passes[code] = 1;
  kept.count++;
  kept.one = code;
}

function runTest(kept: Kept, test: Test, dictionary: ValueDictionary, checkpoint: () => void): void {
  const passes = testOf(test, dictionary);
  for (let code = kept.size + 1; code <= dictionary.size; code++) {
    if (code % CHECK_EVERY === 0) {
      kept.size = code - 1;
      checkpoint();
    }
    if (passes(code)) add(kept, code);
  }
}

function testOf(test: Test, dictionary: ValueDictionary): (code: number) => boolean {
  const passes = compileTest(test);
  return (code) => {
    const type = dictionary.type(code);
    const value: Value =
      type === 'null' ? null : type === 'number' ? dictionary.number(code) : { type, text: dictionary.text(code) };
    return passes(value);
  };
}

/** The texts that a test accepts, if it accepts only these; else null. */
function textsOf(test: Test): readonly string[] | null {
  if (test.op !== 'equals' && test.op !== 'in') return null;
  const literals: readonly PlanLiteral[] = test.op === 'equals' ? [test.literal] : test.literals;
  const texts = literals.flatMap((literal) => (literal.type === 'string' ? [literal.value] : []));
  return texts.length === literals.length ? texts : null;
}
