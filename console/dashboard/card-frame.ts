/** A card on the grid: its title, its menu, and its content, which loads once the card is visible. */
import type { Card } from '../../lib/dashboards/dashboard.ts';
import type { CardData } from '../../lib/dashboards/data.ts';
import { made } from '../element.ts';
import { cardContent, problemView } from './card-content.ts';
import type { Parts } from './card-link.ts';
import { csvOf, fileName, saveFile } from './card-file.ts';
import { paintedCard } from './card-picture.ts';
import type { HeadingLevel } from './heading.ts';
import { heading } from './heading.ts';
import { tableView } from './table-view.ts';

/** Where the data of cards comes from. */
export interface CardSource {
  card(card: Card): Promise<CardData>;
  /** Where to see who is behind a part of its answer; null: nowhere. */
  addressOf(card: Card, parts: Parts): string | null;
}

export class CardFrame {
  readonly element: HTMLElement;
  readonly #card: Card;
  readonly #body: HTMLElement;
  readonly #menu: HTMLElement;
  readonly #name: string;
  readonly #level: HeadingLevel;
  #source: CardSource | null = null;
  #data: CardData | null = null;
  #seen = false;
  #asTable = false;

  constructor(card: Card, level: HeadingLevel) {
    this.#card = card;
    this.#level = level;
    this.#name = card.title ?? card.id;
    this.element = made('article', '', { class: `card viz-card-${card.viz}`, 'data-card': card.id, 'aria-label': this.#name });
    this.element.dataset['w'] = String(card.layout.w);
    for (const [name, value] of Object.entries({ w: card.layout.w, h: card.layout.h, x: card.layout.x === null ? null : card.layout.x + 1 })) {
      if (value !== null) this.element.style.setProperty(`--${name}`, String(value));
    }
    this.#body = made('div', '', { class: 'card-body' });
    this.#menu = this.#makeMenu();
    this.element.append(this.#head(), this.#body);
    if (card.kind !== 'markdown') this.#wait();
  } // prettier-ignore

  /** Sets the source of its data; loads at once if the card was visible before, else when it first is. */
  load(source: CardSource): void {
    this.#source = source;
    if (this.#seen || this.#card.kind === 'markdown') void this.#ask();
  }

  readonly #addressOf = (parts: Parts): string | null => this.#source?.addressOf(this.#card, parts) ?? null;

  /** The card came into view. */
  see(): void {
    if (this.#seen) return;
    this.#seen = true;
    void this.#ask();
  }

  /** Keeps the old content until there is new content. */
  async #ask(): Promise<void> {
    const source = this.#source;
    if (source === null) return;
    this.element.setAttribute('aria-busy', 'true');
    const data = await source.card(this.#card).catch(failure);
    if (source !== this.#source) return; // fetched again meanwhile
    const read = this.#data?.state === 'ready' && data.state === 'ready' && this.#body.contains(document.activeElement);
    this.#data = data;
    if (!read) this.#show(); // focused content stays until the next update
    this.element.removeAttribute('aria-busy');
  }

  #show(): void {
    const data = this.#data;
    if (data === null) return;
    const table = this.#asTable && data.state === 'ready';
    this.#menu.hidden = data.state === 'error' || this.#card.kind === 'markdown';
    try {
      this.#body.replaceChildren(table ? tableView(data.queries, this.#name, this.#card.options) : cardContent(this.#card, data, { level: this.#level, addressOf: this.#addressOf })); // prettier-ignore
    } catch (error) {
      this.#body.replaceChildren(problemView('This picture could not be drawn.', String(error)));
    }
  }

  #head(): HTMLElement {
    const { title, description } = this.#card;
    const head = made('header', '', { class: 'card-head' });
    if (title !== null) head.append(heading(this.#level, title));
    head.append(this.#menu);
    if (description !== null) head.append(made('p', description, { class: 'card-description' }));
    head.hidden = title === null && description === null && this.#card.kind === 'markdown';
    return head;
  }

  #makeMenu(): HTMLElement {
    const menu = made('details', '', { class: 'card-menu', 'data-not-painted': '' });
    const summary = made('summary', '', { 'aria-label': `More about ${this.#name}` });
    summary.append(made('span', '⋯', { 'aria-hidden': 'true' }));
    const actions = made('div', '', { class: 'card-actions' });
    const table = this.#action('Show as table', () => {
      this.#asTable = !this.#asTable;
      table.textContent = this.#asTable ? 'Show as picture' : 'Show as table';
      this.#show();
    });
    if (this.#card.viz !== 'table') actions.append(table);
    actions.append(
      this.#action('Save as CSV', () => this.#saveCsv()),
      this.#action('Save as PNG', () => void this.#savePng()),
    );
    menu.append(summary, actions);
    menu.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !menu.open) return;
      menu.open = false;
      summary.focus();
    });
    menu.addEventListener('focusout', (event) => {
      if (!(event.relatedTarget instanceof Node && menu.contains(event.relatedTarget))) menu.open = false;
    });
    menu.hidden = true;
    return menu;
  }

  #action(text: string, run: () => void): HTMLButtonElement {
    const button = made('button', text, { type: 'button', class: 'quiet' });
    button.addEventListener('click', () => {
      run();
      const menu = button.closest('details');
      if (menu !== null) menu.open = false;
      menu?.querySelector('summary')?.focus();
    });
    return button;
  }

  #saveCsv(): void {
    if (this.#data?.state !== 'ready') return;
    saveFile(fileName(this.#name, 'csv'), new Blob([csvOf(this.#data)], { type: 'text/csv;charset=utf-8' }));
  }

  async #savePng(): Promise<void> {
    try {
      saveFile(fileName(this.#name, 'png'), await paintedCard(this.element));
    } catch (error) {
      this.#body.prepend(problemView('The picture could not be saved.', String(error)));
    }
  }

  #wait(): void {
    this.#body.append(made('div', '', { class: 'card-waits', 'aria-hidden': 'true' }));
  }
}

function failure(error: unknown): CardData {
  const message = error instanceof Error ? error.message : String(error);
  const hints: unknown = error instanceof Error && 'hints' in error ? error.hints : null;
  const [hint] = Array.isArray(hints) ? hints.filter((one) => typeof one === 'string') : [];
  return { state: 'error', message, hint: hint ?? null };
}
