/** Completions below the word being typed: a list box with at most one option chosen; the focus stays in the field. */
import { gapIn, wordsFor, type Gap, type ProjectNames, type Word } from '../lib/dsl/hints/complete.ts';
import { made } from './element.ts';

/** Most options: more than anyone looks through. */
const MOST = 50;

export class CompletionList {
  readonly #field: HTMLTextAreaElement;
  readonly #list: HTMLElement;
  #gap: Gap | null = null;
  #words: readonly Word[] = [];
  #chosen = -1;

  /** `take` is called with the chosen text and the position where it goes. */
  constructor(field: HTMLTextAreaElement, list: HTMLElement, take: (text: string, start: number) => void) {
    this.#field = field;
    this.#list = list;
    list.addEventListener('mousedown', (event) => {
      event.preventDefault(); // the focus stays in the field
      const option = event.target instanceof Element ? event.target.closest('[role="option"]') : null;
      const word = this.#words[[...list.children].indexOf(option ?? list)];
      if (word !== undefined && this.#gap !== null) take(word.text, this.#gap.start);
    });
  }

  get isOpen(): boolean {
    return this.#gap !== null;
  }

  /** The gap and text of the chosen option; if none is chosen and `orFirst`, of the first. */
  chosen(orFirst: boolean): { readonly text: string; readonly start: number } | null {
    const word = this.#words[this.#chosen] ?? (orFirst ? this.#words[0] : undefined);
    return word === undefined || this.#gap === null ? null : { text: word.text, start: this.#gap.start };
  }

  /** Shows completions at the cursor; returns where the word begins; null: there are none. `asked`: even without any letter. */
  show(names: ProjectNames, { asked }: { asked: boolean }): number | null {
    const gap = gapIn(this.#field.value.slice(0, this.#field.selectionStart));
    const words = gap.partial === '' && !asked ? [] : matching(wordsFor(gap, names), gap.partial);
    if (words.length === 0) {
      this.close();
      return null;
    }
    this.#gap = gap;
    this.#words = words;
    this.#list.replaceChildren(...words.map(option));
    this.#list.hidden = false;
    this.#list.scrollTop = 0;
    this.#choose(-1);
    return gap.start;
  }

  /** Moves so many px to the right, or as far as there is room. */
  moveTo(left: number): void {
    const room = (this.#list.parentElement?.clientWidth ?? 0) - this.#list.offsetWidth;
    this.#list.style.left = `${Math.max(0, Math.min(left, room))}px`;
  }

  close(): void {
    this.#gap = null;
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

function option({ text, kind }: Word, index: number): HTMLElement {
  const item = made('li', '', { role: 'option', id: `completion-${index}`, 'aria-selected': 'false' });
  item.append(made('span', text), made('small', kind));
  return item;
}

/** Words that begin with what is typed, then words that contain it: `plan` finds `event_properties.plan`. */
function matching(words: readonly Word[], partial: string): readonly Word[] {
  const typed = partial.toLowerCase();
  const begins = words.filter(({ text }) => text.toLowerCase().startsWith(typed));
  const inside = words.filter(({ text }) => text.toLowerCase().indexOf(typed) > 0);
  const found = [...begins, ...inside].slice(0, MOST);
  return found.length === 1 && found[0]?.text === partial ? [] : found;
}
