/** The cohorts of a project, below the field to ask: their conditions, and how many people of the last 30 days are in them. */
import { ApiError } from '../public/console/api.js';
import { made } from './element.ts';
import { fragmentOf } from './fragment-question.ts';
import type { Cohort, Questions } from './questions.ts';

/** Whose size is asked for at once, as each is a query; of the others a click asks. */
const MOST_SIZES = 20;

export class CohortList {
  readonly #place: HTMLDetailsElement;
  readonly #list: HTMLUListElement;
  readonly #questions: Questions;
  #isFilled = false;

  constructor(place: HTMLDetailsElement, list: HTMLUListElement, questions: Questions) {
    this.#place = place;
    this.#list = list;
    this.#questions = questions;
    place.addEventListener('toggle', () => void this.#fill());
  }

  /** Shows that there are some; they are read once the list is opened. */
  show(names: readonly string[]): void {
    this.#place.hidden = names.length === 0;
  }

  async #fill(): Promise<void> {
    if (this.#isFilled || !this.#place.open) return;
    this.#isFilled = true;
    this.#list.replaceChildren();
    try {
      const cohorts = await this.#questions.cohorts();
      const sizes = cohorts.map((cohort) => this.#add(cohort));
      for (const [nth, { name }] of cohorts.slice(0, MOST_SIZES).entries())
        sizes[nth]!.textContent = sizeText(await this.#questions.sizeOf(name));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#isFilled = false; // it is tried again when the list is opened again
      this.#list.append(made('li', error.message));
    }
  }

  /** Returns the place of its size. */
  #add({ name, where, description }: Cohort): HTMLElement {
    const item = made('li');
    const size = made('span', '', { class: 'hint' });
    const question = `* | where cohort ${JSON.stringify(name)} | unique by day | last 30d`;
    item.append(made('a', name, { href: fragmentOf(question) }), ' ', size, made('br'), made('code', where));
    if (description !== null) item.append(made('br'), made('span', description, { class: 'hint' }));
    this.#list.append(item);
    return size;
  }
}

const sizeText = (people: number): string => `${people.toLocaleString()} ${people === 1 ? 'person' : 'people'}`;
