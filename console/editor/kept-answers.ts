/** Answers that are kept while somebody writes, so that each change asks only for what it has changed. */
import type { Envelope } from '../../lib/dashboards/data.ts';
import type { AskCard } from '../../lib/dashboards/run.ts';

/** Beyond it all are asked for again. */
const MOST = 200;

export class KeptAnswers {
  readonly #answers = new Map<string, Promise<Envelope>>();

  /** Asks equal questions once. What fails or is canceled is asked again by whoever comes next. */
  keeping(ask: AskCard): AskCard {
    return (question, signal) => {
      const key = JSON.stringify(question);
      const known = this.#answers.get(key);
      if (known !== undefined) return known;
      if (this.#answers.size >= MOST) this.#answers.clear();
      const answer = ask(question, signal);
      this.#answers.set(key, answer);
      const forget = (): void => {
        if (this.#answers.get(key) === answer) this.#answers.delete(key);
      };
      signal.addEventListener('abort', forget); // at once: a rejection comes too late for a board that starts now
      answer.then(() => signal.removeEventListener('abort', forget), forget); // whoever asked is told
      return answer;
    };
  }

  clear(): void {
    this.#answers.clear();
  }
}
