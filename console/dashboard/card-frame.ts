/** A card on the grid: its title, its menu, and its content, which loads once the card is visible. */
import type { Annotation, Card } from '../../lib/dashboards/dashboard.ts';
import type { CardData } from '../../lib/dashboards/data.ts';
import { isCopied } from '../../public/console/copy.js';
import { made } from '../element.ts';
import { cardContent, problemView } from './card-content.ts';
import { NO_LINKS, type CardLinks } from './card-link.ts';
import { CardMenu, type CardPlace } from './card-menu.ts';
import { cardYaml, queriesText, type Asked } from './card-source.ts';
import { csvOf, fileName, saveFile } from './card-file.ts';
import { paintedCard } from './card-picture.ts';
import type { HeadingLevel } from './heading.ts';
import { heading } from './heading.ts';
import { tableView } from './table-view.ts';

/** Where the data of cards comes from. */
export interface CardSource {
  card(card: Card): Promise<CardData>;
  /** For which values of the variables: data for others is not kept when these fail. */
  readonly values: string;
  /** Whether asking again may give another answer. */
  readonly again: boolean;
  readonly annotations: Promise<readonly Annotation[]>;
  /** A time as the dashboard tells times. */
  clock(at: Date): string;
  linksOf(card: Card): CardLinks;
  /** Its queries as they are asked. */
  asked(card: Card): readonly Asked[];
}

export class CardFrame {
  readonly element: HTMLElement;
  readonly #card: Card;
  readonly #body: HTMLElement;
  readonly #menu: CardMenu;
  readonly #place: CardPlace;
  readonly #name: string;
  readonly #level: HeadingLevel;
  #source: CardSource | null = null;
  #data: CardData | null = null;
  #annotations: readonly Annotation[] = [];
  /** Of the data: when it came, and for which values. */
  #of = { at: new Date(0), values: '' };
  #asked: Promise<void> = Promise.resolve();
  #seen = false;
  readonly #views = new Map<string, readonly [HTMLButtonElement, string]>();
  #shows: 'picture' | 'table' | 'source' = 'picture';

  constructor(card: Card, level: HeadingLevel, place: CardPlace) {
    this.#card = card;
    this.#place = place;
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
    this.element.addEventListener('blur', () => this.element.removeAttribute('tabindex'));
    if (card.kind !== 'markdown') this.#wait();
  } // prettier-ignore

  /** Sets the source of its data; loads at once if the card was visible before, else when it first is. */
  load(source: CardSource): void {
    this.#source = source;
    this.#menu.asked = source.asked(this.#card);
    if (this.#seen || this.#card.kind === 'markdown') this.#asked = this.#ask();
  }

  get id(): string {
    return this.#card.id;
  }

  /** Scrolls to the card, and marks it as the one that was meant. */
  point(): void {
    this.#focusWhole();
    this.element.scrollIntoView({ block: 'center' });
  }

  #focusWhole(): void {
    this.element.tabIndex = -1;
    this.element.focus({ preventScroll: true });
  }

  /** The card came into view, or is to be printed. Resolves when its content is there. */
  see(): Promise<void> {
    if (!this.#seen) this.#asked = this.#ask();
    this.#seen = true;
    return this.#asked;
  }

  /** Keeps the old content until there is new content for the same values. */
  async #ask(): Promise<void> {
    const source = this.#source;
    if (source === null) return;
    this.element.setAttribute('aria-busy', 'true');
    const data = await source.card(this.#card).catch(failure);
    const annotations = await source.annotations;
    if (source !== this.#source) return; // fetched again meanwhile
    this.element.removeAttribute('aria-busy');
    const { values } = source;
    const isKept = this.#data?.state === 'ready' && data.state === 'error' && this.#of.values === values;
    this.#tellAge(isKept ? data : null);
    if (isKept) return;
    const isSame = this.#data?.state === 'ready' && data.state === 'ready' && this.#of.values === values;
    const isRead = isSame && this.#body.contains(document.activeElement);
    this.#data = data;
    this.#annotations = annotations;
    this.#of = { at: new Date(), values };
    if (!isRead) this.#show(); // what somebody reads stays until the next update, unless it is of other values now
  }

  /** Greys old data that could not be fetched again, and says of when it is and why. */
  #tellAge(failed: Failure | null): void {
    this.element.classList.toggle('stale', failed !== null);
    const before = this.element.querySelector('.card-age');
    if (before?.contains(document.activeElement) === true) this.#focusWhole(); // its button goes
    before?.remove();
    if (failed === null) return;
    const age = made('div', '', { class: 'card-age', role: 'status' });
    age.append(made('p', `Data of ${this.#source?.clock(this.#of.at)}. ${failed.message}`), this.#retry());
    this.#body.before(age);
  }

  /** The focus stays in the card, although the button goes. */
  #retry(): HTMLButtonElement {
    const button = made('button', 'Retry', { type: 'button', class: 'quiet' });
    button.addEventListener('click', () => {
      button.disabled = true;
      this.#focusWhole();
      this.#asked = this.#ask();
    });
    return button;
  }

  #show(): void {
    const data = this.#data;
    if (data === null) return;
    const { element: menu } = this.#menu;
    menu.hidden = data.state === 'error' || this.#card.kind === 'markdown';
    const hadFocus = [this.#body, ...(menu.hidden ? [menu] : [])].some((part) => part.contains(document.activeElement));
    try {
      this.#body.replaceChildren(this.#content(data));
      if (data.state === 'error' && this.#source?.again === true) this.#body.firstElementChild?.append(this.#retry());
    } catch (error) {
      this.#body.replaceChildren(problemView('This picture could not be drawn.', String(error)));
    }
    if (hadFocus) this.#focusContent();
  }

  /** In what has replaced the content that had it. */
  #focusContent(): void {
    const stop = this.#body.querySelector('[tabindex="0"], a[href], button');
    if (stop instanceof HTMLElement) stop.focus({ preventScroll: true });
    else this.#focusWhole();
  }

  #content(data: CardData): HTMLElement {
    const links = this.#source?.linksOf(this.#card) ?? NO_LINKS;
    const { options } = this.#card;
    if (data.state === 'ready' && this.#shows === 'table')
      return tableView(data.queries, this.#name, { options, links });
    if (data.state === 'ready' && this.#shows === 'source') return textView(cardYaml(this.#place.yaml ?? '', this.#card), `The source of ${this.#name}`); // prettier-ignore
    return cardContent(this.#card, data, { level: this.#level, links, annotations: this.#annotations });
  }

  #head(): HTMLElement {
    const { title, description } = this.#card;
    const head = made('header', '', { class: 'card-head' });
    if (title !== null) head.append(heading(this.#level, title));
    head.append(this.#menu.said, this.#menu.element);
    if (description !== null) head.append(made('p', description, { class: 'card-description' }));
    head.hidden = title === null && description === null && this.#card.kind === 'markdown';
    return head;
  }

  #makeMenu(): CardMenu {
    const { linkTo, yaml } = this.#place;
    const menu = new CardMenu(this.#name, this.#place);
    if (this.#card.viz !== 'table') this.#addView(menu, 'table', 'Show as table');
    menu.addAsks();
    menu.add('Copy query', () => this.#copy(queriesText(this.#source?.asked(this.#card) ?? []), 'Query copied'));
    if (linkTo !== null) menu.add('Copy link', () => this.#copy(linkTo(this.#card.id), 'Link copied'));
    if (yaml !== null) this.#addView(menu, 'source', 'View source');
    menu.add('Save as CSV', () => this.#saveCsv());
    menu.add('Save as PNG', () => this.#savePng());
    menu.element.hidden = this.#card.kind === 'markdown'; // else it is there from the start: keys reach cards that wait
    return menu;
  }

  /** A button that shows the card in another way, and then in its own again. */
  #addView(menu: CardMenu, shows: 'table' | 'source', text: string): void {
    const button = menu.add(text, () => {
      this.#shows = this.#shows === shows ? 'picture' : shows;
      for (const [other, [own, name]] of this.#views)
        own.textContent = this.#shows === other ? 'Show as picture' : name;
      this.#show();
    });
    this.#views.set(shows, [button, text]);
  }

  /** Answers what to say. Where the browser refuses, the text stands selected above the picture until one goes on. */
  async #copy(text: string, said: string): Promise<string> {
    if (await isCopied(text)) return said;
    const view = textView(text, 'To copy');
    view.addEventListener('blur', () => view.remove());
    this.#body.prepend(view);
    view.focus();
    getSelection()?.selectAllChildren(view);
    return 'Selected: now copy it';
  }

  #saveCsv(): string | void {
    if (this.#data?.state !== 'ready') return 'Not loaded yet';
    saveFile(fileName(this.#name, 'csv'), new Blob([csvOf(this.#data)], { type: 'text/csv;charset=utf-8' }));
  }

  async #savePng(): Promise<string | void> {
    if (this.#data?.state !== 'ready') return 'Not loaded yet';
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

function textView(text: string, label: string): HTMLElement {
  return made('pre', text, { class: 'card-text', tabindex: '0', 'aria-label': label });
}

type Failure = Extract<CardData, { state: 'error' }>;

function failure(error: unknown): CardData {
  const message = error instanceof Error ? error.message : String(error);
  const hints: unknown = error instanceof Error && 'hints' in error ? error.hints : null;
  const [hint] = Array.isArray(hints) ? hints.filter((one) => typeof one === 'string') : [];
  return { state: 'error', message, hint: hint ?? null };
}
