/** The menu of a card: other views of it, where it leads, what can be copied and saved. */
import { made } from '../element.ts';
import { fragmentOf } from '../fragment-question.ts';
import type { Asked } from './card-source.ts';

/** What the place that a board is in offers its cards. */
export interface CardPlace {
  /** The address of the page that asks queries; null: there is none. */
  readonly askPath: string | null;
  /** The address of a card, with the values of now; null: none that others could open. */
  readonly linkTo: ((cardId: string) => string) | null;
  /** The file of the dashboard; null: unknown. */
  readonly yaml: string | null;
}

const SAID_MS = 2_000;

export class CardMenu {
  readonly element = made('details', '', { class: 'card-menu', 'data-menu': '', 'data-not-painted': '' });
  readonly #asks = made('div', '', { class: 'card-asks' });
  /** Beside the menu, which hides what is in it. */
  readonly said = made('span', '', { class: 'card-said', role: 'status' });
  readonly #actions = made('div', '', { class: 'card-actions' });
  readonly #place: CardPlace;

  /** @param name Of the card. */
  constructor(name: string, place: CardPlace) {
    this.#place = place;
    const summary = made('summary', '', { 'aria-label': `More about ${name}` });
    summary.append(made('span', '⋯', { 'aria-hidden': 'true' }));
    this.element.append(summary, this.#actions);
  }

  /** @param run What the button does; a text that it answers is said beside the menu for a moment. */
  add(text: string, run: () => string | void | Promise<string | void>): HTMLButtonElement {
    const button = made('button', text, { type: 'button', class: 'quiet' });
    button.addEventListener('click', () => {
      void Promise.resolve(run()).then((said) => this.#say(said ?? ''));
      this.element.open = false;
      this.element.querySelector('summary')?.focus();
    });
    this.#actions.append(button);
    return button;
  }

  /** Where the links to Ask are to stand. */
  addAsks(): void {
    this.#actions.append(this.#asks);
  }

  /** The queries that the links to Ask lead to, as they are now. */
  set asked(queries: readonly Asked[]) {
    const { askPath } = this.#place;
    const several = queries.length > 1;
    const links = queries.map(({ name, q }) =>
      made('a', several ? `Open “${name}” in Ask` : 'Open in Ask', {
        href: `${askPath ?? ''}${fragmentOf(q)}`,
        class: 'button quiet',
      }),
    );
    this.#asks.replaceChildren(...(askPath === null ? [] : links));
  }

  #say(text: string): void {
    this.said.textContent = text;
    if (text !== '') setTimeout(() => this.said.replaceChildren(), SAID_MS);
  }
}
