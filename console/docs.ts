/** The pages of the documentation: their search, and their contents beside the text. */
import { readJson } from '../public/console/read-json.js';
import { type Finding, findSections, type Section } from './docs-search.ts';
import { find, made } from './element.ts';

const INDEX = '/docs/search.json';

class DocsSearch {
  readonly #place: HTMLElement;
  readonly #field: HTMLInputElement;
  readonly #found: HTMLElement;
  readonly #count: HTMLElement;
  /** Fetched when somebody begins to search. */
  #index: Promise<readonly Section[]> | null = null;

  constructor(place: HTMLElement) {
    this.#place = place;
    this.#field = find(place, 'input', HTMLInputElement);
    this.#found = find(place, '[data-found]', HTMLElement);
    this.#count = find(place, '[data-count]', HTMLElement);
  }

  start(): void {
    this.#place.hidden = false;
    // Ahead of the first letter: if it fails, that letter tries again and tells.
    this.#field.addEventListener('focus', () => void this.#sections().catch(() => null));
    this.#field.addEventListener('input', () => void this.#search());
    this.#place.addEventListener('keydown', (event) => this.#onKey(event));
    this.#found.addEventListener('click', () => this.#close()); // a section may be of this page
    document.addEventListener('keydown', (event) => this.#onSlash(event));
    document.addEventListener('click', ({ target }) => {
      if (!(target instanceof Node && this.#place.contains(target))) this.#close();
    });
  }

  #sections(): Promise<readonly Section[]> {
    this.#index ??= fetchIndex().catch((error: unknown) => {
      this.#index = null; // the next letter tries again
      throw error;
    });
    return this.#index;
  }

  async #search(): Promise<void> {
    const text = this.#field.value;
    try {
      const sections = await this.#sections();
      if (text === this.#field.value) this.#show(text, findSections(sections, text));
    } catch {
      this.#tell('The search cannot be loaded. Check the connection and type on.');
    }
  }

  #show(text: string, findings: readonly Finding[]): void {
    if (text.trim() === '') return this.#close();
    if (findings.length === 0) return this.#tell(`Nothing found for “${text.trim()}”.`);
    const list = made('ul');
    list.append(...findings.map(itemOf));
    this.#found.replaceChildren(list);
    this.#found.hidden = false;
    this.#count.textContent = findings.length === 1 ? '1 section found.' : `${findings.length} sections found.`;
  }

  #tell(sentence: string): void {
    this.#found.replaceChildren(made('p', sentence));
    this.#found.hidden = false;
    this.#count.textContent = sentence;
  }

  #close(): void {
    this.#found.hidden = true;
    this.#count.textContent = '';
  }

  /** Arrows go through what was found; Enter in the field opens the first; Esc closes. */
  #onKey(event: KeyboardEvent): void {
    const stops = [this.#field, ...this.#found.querySelectorAll('a')];
    const at = stops.findIndex((stop) => stop === document.activeElement);
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined && !this.#found.hidden) stops[at + by]?.focus();
    else if (event.key === 'Enter' && at === 0 && !this.#found.hidden) stops[1]?.click();
    else if (event.key === 'Escape') this.#leave();
    else return;
    event.preventDefault();
  }

  #leave(): void {
    this.#close();
    this.#field.value = '';
    this.#field.focus();
  }

  #onSlash(event: KeyboardEvent): void {
    const { target, key, ctrlKey, metaKey, altKey } = event;
    if (key !== '/' || ctrlKey || metaKey || altKey || target === this.#field) return;
    event.preventDefault();
    this.#field.focus();
    this.#field.select();
  }
}

function itemOf({ address, page, heading, excerpt }: Finding): HTMLElement {
  const link = made('a', '', { href: address });
  link.append(made('strong', heading === '' ? page : heading));
  if (heading !== '') link.append(made('small', page));
  if (excerpt !== '') link.append(made('span', excerpt));
  const item = made('li');
  item.append(link);
  return item;
}

async function fetchIndex(): Promise<readonly Section[]> {
  const response = await fetch(INDEX);
  const sections: unknown = response.ok ? readJson(await response.text()) : null;
  if (!isIndex(sections)) throw new Error('the index of the search is no list');
  return sections;
}

/** Page and index are of the same build. */
function isIndex(value: unknown): value is readonly Section[] {
  return Array.isArray(value);
}

/** Where there is room beside the text, style sheets show the contents and hide the switch: then they are open for all who ask. */
function keepContentsOpen(): void {
  const wide = matchMedia('(min-width: 64rem)');
  const follow = (): void => {
    for (const details of document.querySelectorAll<HTMLDetailsElement>('nav details:not(.menu)'))
      details.open = wide.matches;
  };
  wide.addEventListener('change', follow);
  follow();
}

keepContentsOpen();
const place = document.querySelector('[data-search]');
if (place instanceof HTMLElement) new DocsSearch(place).start();
