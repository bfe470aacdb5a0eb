/** The most frequent texts, then by code point. Makes texts only if their count is high enough. */
import { compareCodePoints } from '../../../dsl/plan/value.ts';

export const SAMPLES = 5;

export class TopTexts {
  readonly #best: { readonly count: number; readonly text: string }[] = [];

  offer(count: number, textOf: () => string): void {
    const last = this.#best[SAMPLES - 1];
    if (last !== undefined && count < last.count) return;
    const text = textOf();
    if (last !== undefined && count === last.count && compareCodePoints(text, last.text) > 0) return;
    this.#best.push({ count, text });
    this.#best.sort((a, b) => b.count - a.count || compareCodePoints(a.text, b.text));
    this.#best.length = Math.min(this.#best.length, SAMPLES);
  }

  /** For texts that come in ascending order: of those with the same count, only the first five can be among the best. */
  ascending(): { offer(count: number, textOf: () => string): void } {
    const offered = new Map<number, number>();
    let ones = 0; // the count that nearly all texts have
    return {
      offer: (count, textOf) => {
        const before = count === 1 ? ones : (offered.get(count) ?? 0);
        if (before === SAMPLES) return;
        if (count === 1) ones++;
        else offered.set(count, before + 1);
        this.offer(count, textOf);
      },
    };
  }

  list(): readonly string[] {
    return this.#best.map(({ text }) => text);
  }
}
