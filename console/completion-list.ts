/** What is proposed below the word that is typed: a list box, of which one option may be chosen while the focus stays in the field. */
import { gapIn, wordsFor, type Gap, type ProjectNames, type Word } from '../lib/dsl/hints/complete.ts';
import { made } from './element.ts';

/** Options at most: more than can be looked through. */
const MOST = 50;

export class CompletionList {
  readonly #field: HTMLTextAreaElement;
  readonly #list: HTMLElement;
  #gap: Gap | null = null;
  #words: readonly Word[] = [];
  #chosen = -1;

  /** `take` is called with what was chosen and the place that it fills. */
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

  /** The gap and the text of the option that is chosen; of none, where `orFirst`, the first. */
  chosen(orFirst: boolean): { readonly text: string; readonly start: number } | null {
    const word = this.#words[this.#chosen] ?? (orFirst ? this.#words[0] : undefined);
    return word === undefined || this.#gap === null ? null : { text: word.text, start: this.#gap.start };
  }

  /** Shows what goes on from the cursor, and answers where the word begins; null: nothing does. `asked`: also where no letter is typed. */
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

  /** As far to the right as there is room, at most so many px. */
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

  /** Goes to the next or the previous option, round and round. */
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

/** Those that begin with what is typed, then those that have it inside: `plan` finds `event_properties.plan`. */
function matching(words: readonly Word[], partial: string): readonly Word[] {
  const typed = partial.toLowerCase();
  const begins = words.filter(({ text }) => text.toLowerCase().startsWith(typed));
  const inside = words.filter(({ text }) => text.toLowerCase().indexOf(typed) > 0);
  const found = [...begins, ...inside].slice(0, MOST);
  return found.length === 1 && found[0]?.text === partial ? [] : found;
}
