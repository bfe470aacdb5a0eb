/** The questions that were asked last, in this browser alone, until somebody logs out: for each account and project a list of its own. */
import { KEPT_QUESTIONS } from '../public/console/kept-questions.js';

const MOST = 50;

export class AskedBefore {
  readonly #key: string;

  constructor(account: string, project: string) {
    this.#key = `${KEPT_QUESTIONS}${account}:${project}`;
  }

  /** The newest first. */
  get list(): readonly string[] {
    const kept = localStorage.getItem(this.#key);
    if (kept === null) return [];
    const list: unknown = JSON.parse(kept);
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
  }

  /** Puts a question in front; it stands there once. */
  add(question: string): void {
    const list = [question, ...this.list.filter((one) => one !== question)].slice(0, MOST);
    localStorage.setItem(this.#key, JSON.stringify(list));
  }

  forget(): void {
    localStorage.removeItem(this.#key);
  }
}
