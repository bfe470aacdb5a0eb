/** What is to be said of the lines of a file: once for each kind, with how many lines it concerns and the first of them. */
import type { TrackAnswer } from './send-events.ts';

/** What was sent, at the end of a message: it differs from line to line. */
const SENT = /: (?:"(?:[^"\\]|\\.)*"|-?[\d.e+]+)$/;

interface Kind {
  /** Of the first line. */
  readonly why: string;
  readonly first: number;
  lines: number;
}

/** What a line is called, by its number. */
type NameOf = (line: number) => string;

class LineTally {
  readonly #nameOf: NameOf;
  readonly #kinds = new Map<string, Kind>();
  #others = 0;

  constructor(nameOf: NameOf) {
    this.#nameOf = nameOf;
  }

  add(line: number, why: string): void {
    const name = why.replace(SENT, '');
    const kind = this.#kinds.get(name);
    if (kind !== undefined) kind.lines++;
    // Kinds that are told, in total: if all lines differ, a few show it.
    else if (this.#kinds.size < 100) this.#kinds.set(name, { why, first: line, lines: 1 });
    else this.#others++;
  }

  /** A sentence for each kind, in order of their first lines. */
  *told(): Generator<string> {
    for (const { why, first, lines } of [...this.#kinds.values()].sort((a, b) => a.first - b.first))
      yield lines === 1
        ? `${this.#nameOf(first)}: ${why}`
        : `${lines.toLocaleString('en')} lines, first ${this.#nameOf(first)}: ${why}`;
    if (this.#others > 0) yield `${this.#others.toLocaleString('en')} more lines, each for another reason`;
  }
}

/** What became of lines that were sent, for the user. */
export class LineReport {
  readonly #nameOf: NameOf;
  readonly #bad: LineTally;
  readonly #changed: LineTally;
  /** Rejected lines that the server did not name, and the last line of what they were sent in. */
  readonly #unnamed = { lines: 0, upTo: 0 };

  constructor(nameOf: NameOf = (line) => `line ${line}`) {
    this.#nameOf = nameOf;
    this.#bad = new LineTally(nameOf);
    this.#changed = new LineTally(nameOf);
  }

  /** A line that was not sent. */
  bad(line: number, why: string): void {
    this.#bad.add(line, why);
  }

  /** `lineOf`: of an index in what was sent. `last`: the last line of it. */
  add({ rejected, errors, warnings }: TrackAnswer, lineOf: (index: number) => number, last: number): void {
    for (const { index, error } of errors) this.#bad.add(lineOf(index), error);
    for (const { index, warning } of warnings) this.#changed.add(lineOf(index ?? 0), warning);
    if (rejected <= errors.length) return;
    this.#unnamed.lines += rejected - errors.length;
    this.#unnamed.upTo = Math.max(this.#unnamed.upTo, last);
  }

  *told(): Generator<string> {
    yield* this.#bad.told();
    const { lines, upTo } = this.#unnamed;
    if (lines > 0) yield `${lines.toLocaleString('en')} more lines up to ${this.#nameOf(upTo)} were rejected`;
    for (const changed of this.#changed.told()) yield `stored otherwise than sent: ${changed}`;
  }
}
