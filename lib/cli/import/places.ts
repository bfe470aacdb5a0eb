/** Lines of all files as one sequence of numbers, so that what is told of lines is counted over all of them. */

interface Place {
  readonly name: string;
  /** Lines before its first. */
  readonly before: number;
}

export class LinesOfFiles {
  readonly #places: Place[] = [];
  /** The last line so far. */
  #last = 0;

  /** The lines that follow are of this file. */
  begin(name: string): void {
    this.#places.push({ name, before: this.#last });
  }

  /** The number in the sequence of a line of the present file. */
  number(line: number): number {
    const number = this.#places.at(-1)!.before + line;
    if (number > this.#last) this.#last = number;
    return number;
  }

  /** `line 7`, of several files `b.json line 7`. */
  nameOf(number: number): string {
    const { name, before } = this.#places.findLast((place) => place.before < number) ?? this.#places[0]!;
    const line = `line ${(number - before).toLocaleString('en')}`;
    return this.#places.length === 1 ? line : `${name} ${line}`;
  }
}
