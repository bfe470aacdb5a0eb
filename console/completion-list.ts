/** Completions below the word being typed: a list box with at most one option chosen; the focus stays in the field. */
import { made } from './element.ts';
import type { Proposed, ProposedWord } from './proposed-words.ts';

/** Most options: more than anyone looks through. */
const MOST = 50;

export class CompletionList {
  readonly #field: HTMLTextAreaElement;
  readonly #list: HTMLElement;
  #start: number | null = null;
  #words: readonly ProposedWord[] = [];
  readonly #take: (text: string, start: number) => void;
  #chosen = -1;

  /** `take` is called with the chosen text and the position where it goes. */
  constructor(field: HTMLTextAreaElement, list: HTMLElement, take: (text: string, start: number) => void) {
    this.#field = field;
    this.#list = list;
    this.#take = take;
    list.addEventListener('mousedown', (event) => {
      event.preventDefault(); // the focus stays in the field
      const option = event.target instanceof Element ? event.target.closest('[role="option"]') : null;
      const word = this.#words[[...list.children].indexOf(option ?? list)];
      if (word !== undefined && this.#start !== null) take(word.text, this.#start);
    });
  }

  get isOpen(): boolean {
    return this.#start !== null;
  }

  /** The gap and text of the chosen option; if none is chosen and `orFirst`, of the first. */
  chosen(orFirst: boolean): { readonly text: string; readonly start: number } | null {
    const word = this.#words[this.#chosen] ?? (orFirst ? this.#words[0] : undefined);
    return word === undefined || this.#start === null ? null : { text: word.text, start: this.#start };
  }

  /** What a key does while the list is open: chooses, takes or nothing. Returns whether it did something. */
  press(key: string): boolean {
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      this.move(key === 'ArrowDown' ? 1 : -1);
      return true;
    }
    const chosen = key === 'Enter' || key === 'Tab' ? this.chosen(key === 'Tab') : null;
    if (chosen === null) return false;
    this.#take(chosen.text, chosen.start);
    return true;
  }

  /** Shows what is proposed; returns where the word begins; null: there is nothing. `asked`: even without any letter. */
  show({ start, partial, words: all, isEager }: Proposed, { asked }: { asked: boolean }): number | null {
    const words = partial === '' && !asked && !isEager ? [] : matching(all, partial);
    if (words.length === 0) {
      this.close();
      return null;
    }
    this.#start = start;
    this.#words = words;
    this.#list.replaceChildren(...words.map(option));
    this.#list.hidden = false;
    this.#list.scrollTop = 0;
    this.#choose(-1);
    return start;
  }

  /** Moves so many px to the right, or as far as there is room. */
  moveTo(left: number): void {
    const room = (this.#list.parentElement?.clientWidth ?? 0) - this.#list.offsetWidth;
    this.#list.style.left = `${Math.max(0, Math.min(left, room))}px`;
  }

  close(): void {
    this.#start = null;
    this.#words = [];
    this.#list.hidden = true;
    this.#list.replaceChildren();
    this.#choose(-1);
  }

  /** Moves to the next or previous option, wrapping around. */
  move(by: 1 | -1): void {
    const count = this.#words.length;
    this.#choose(this.#chosen === -1 && by === -1 ? count - 1 : (this.#chosen + by + count) % count);
  }

  #choose(index: number): void {
    this.#list.children[this.#chosen]?.setAttribute('aria-selected', 'false');
    this.#chosen = index;
    const option = this.#list.children[index];
    if (option === undefined) return this.#field.removeAttribute('aria-activedescendant');
    option.setAttribute('aria-selected', 'true');
    option.scrollIntoView({ block: 'nearest' });
    this.#field.setAttribute('aria-activedescendant', option.id);
  }
}

function option({ text, about }: ProposedWord, index: number): HTMLElement {
  const item = made('li', '', { role: 'option', id: `completion-${index}`, 'aria-selected': 'false' });
  item.append(made('span', text), made('small', about));
  return item;
}

/** Words that begin with what is typed, then words that contain it: `plan` finds `event_properties.plan`. */
function matching(words: readonly ProposedWord[], partial: string): readonly ProposedWord[] {
  const typed = partial.toLowerCase();
  const begins = words.filter(({ text }) => text.toLowerCase().startsWith(typed));
  const inside = words.filter(({ text }) => text.toLowerCase().indexOf(typed) > 0);
  const found = [...begins, ...inside].slice(0, MOST);
  return found.length === 1 && found[0]?.text === partial ? [] : found;
}
