/** Times of the stages of an answer, for Server-Timing and `explain`. */

export interface StageTime {
  readonly stage: string;
  /** Milliseconds. */
  readonly ms: number;
}

export class Stopwatch {
  readonly #began = performance.now();
  readonly #times: StageTime[] = [];
  #last = this.#began;

  /** Ends a stage. */
  lap(stage: string): void {
    const now = performance.now();
    this.#times.push({ stage, ms: rounded(now - this.#last) });
    this.#last = now;
  }

  /** Inserts stages timed elsewhere in place of the time since the last lap. */
  insert(times: readonly StageTime[]): void {
    this.#times.push(...times.map(({ stage, ms }) => ({ stage, ms: rounded(ms) })));
    this.#last = performance.now();
  }

  get times(): readonly StageTime[] {
    return this.#times;
  }

  /** Milliseconds since the start. */
  get elapsed(): number {
    return rounded(performance.now() - this.#began);
  }

  /** The value of a Server-Timing header. */
  header(): string {
    const stages = [...this.#times, { stage: 'total', ms: this.elapsed }];
    return stages.map(({ stage, ms }) => `${stage.replaceAll(/[^\w-]/g, '_')};dur=${ms}`).join(', ');
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
