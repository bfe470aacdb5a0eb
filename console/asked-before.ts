/** The latest queries that had an answer, in this browser only, until logout: one list for each account and project. */
import { readJson } from '../public/console/read-json.js';
import { KEPT_QUESTIONS } from '../public/console/kept-questions.js';

const MOST = 50;

export class AskedBefore {
  readonly #key: string;

  constructor(account: string, project: string) {
    this.#key = `${KEPT_QUESTIONS}${account}:${project}`;
  }

  /** Newest first. */
  get list(): readonly string[] {
    const kept = localStorage.getItem(this.#key);
    if (kept === null) return [];
    const list: unknown = readJson(kept);
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
  }

  /** Puts a query in front; the list has it only once. Where the browser has no room for all, the oldest are dropped. */
  add(question: string): void {
    const list = [question, ...this.list.filter((one) => one !== question)].slice(0, MOST);
    while (list.length > 0 && !stored(this.#key, list)) list.pop();
  }

  forget(): void {
    localStorage.removeItem(this.#key);
  }
}

/** False: the browser has no room. */
function stored(key: string, list: readonly string[]): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(list));
    return true;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'QuotaExceededError') return false;
    throw error;
  }
}
