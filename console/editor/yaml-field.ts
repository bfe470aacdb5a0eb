/**
 * The field for YAML: numbered lines, marks where something is wrong, and completion. As in the field for queries, an element with
 * the same text lies behind the textarea. It gives the field its size, so that what is around it scrolls, and all of it together.
 */
import { announce } from '../../public/console/page.js';
import { CompletionList } from '../completion-list.ts';
import { find, made } from '../element.ts';
import type { Proposed } from '../proposed-words.ts';

/** What is wrong, and where, counted from 1. */
export interface TextProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

interface Events {
  changed(): void;
  save(): void;
  /** What may stand at the cursor; null: nothing is known. */
  propose(text: string, cursor: number): Proposed | null;
}

export class YamlField {
  readonly #place: HTMLElement;
  readonly #field: HTMLTextAreaElement;
  readonly #echo: HTMLElement;
  readonly #lines: HTMLElement;
  readonly #list: CompletionList;
  readonly #listed: HTMLElement;
  readonly #events: Events;
  #problems: readonly TextProblem[] = [];

  constructor(place: HTMLElement, events: Events) {
    this.#place = place;
    this.#events = events;
    this.#field = find(place, 'textarea', HTMLTextAreaElement);
    this.#echo = find(place, '[data-echo]', HTMLElement);
    this.#lines = find(place, '[data-lines]', HTMLElement);
    this.#listed = find(place, '[role="listbox"]', HTMLElement);
    this.#list = new CompletionList(this.#field, this.#listed, (text, start) => this.#take(text, start));
    this.#field.addEventListener('input', () => this.#change());
    this.#field.addEventListener('keydown', (event) => this.#press(event));
    for (const leaving of ['blur', 'click']) this.#field.addEventListener(leaving, () => this.#list.close());
    this.#draw();
  }

  get text(): string {
    return this.#field.value;
  }

  /** Takes another text, which can be undone. */
  replace(text: string): void {
    this.#field.focus();
    this.#field.select();
    this.#insert(text);
    this.#field.setSelectionRange(0, 0);
    this.#place.scrollTop = 0;
  }

  /** Marks what is wrong with the text as it is now. */
  mark(problems: readonly TextProblem[]): void {
    this.#problems = problems;
    if (problems.length > 0) this.#field.setAttribute('aria-invalid', 'true');
    else this.#field.removeAttribute('aria-invalid');
    this.#draw();
  }

  goTo({ line, column }: TextProblem): void {
    const at = this.#offsetOf({ line, column });
    this.#field.focus();
    this.#field.setSelectionRange(at, at);
    const { offsetTop, offsetLeft } = this.#mark('span', at, at + 1);
    const { clientHeight, clientWidth } = this.#place;
    this.#place.scrollTo(Math.max(0, offsetLeft - clientWidth / 2), Math.max(0, offsetTop - clientHeight / 3));
    this.#drawMarks();
  }

  #change(): void {
    this.#problems = [];
    this.#field.removeAttribute('aria-invalid');
    this.#draw();
    this.#propose({ asked: false });
    this.#events.changed();
  }

  #press(event: KeyboardEvent): void {
    if (event.isComposing || event.altKey) return;
    if (this.#done(event)) event.preventDefault();
  }

  /** Whether the key did something special to this field. */
  #done({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
    if (key.toLowerCase() === 's' && (ctrlKey || metaKey)) {
      this.#events.save();
      return true;
    }
    if (key === ' ' && ctrlKey) {
      this.#propose({ asked: true });
      if (!this.#list.isOpen) announce('No suggestions here');
      return true;
    }
    if (ctrlKey || metaKey || shiftKey) return false;
    if (key === 'Escape' && this.#list.isOpen) {
      this.#list.close();
      return true;
    }
    if (this.#list.isOpen && this.#list.press(key)) return true;
    return key === 'Enter' && this.#breakLine();
  }

  /** The next line begins below this one, or further in where this one opens something. */
  #breakLine(): boolean {
    const line = this.text.slice(0, this.#field.selectionStart).split('\n').at(-1) ?? '';
    const indent = /^[ ]*(?:- +)*/.exec(line)?.[0].length ?? 0;
    const opens = /(?::|[|>][+-]?)\s*$/.test(line);
    this.#insert(`\n${' '.repeat(indent + (opens ? 2 : 0))}`);
    return true;
  }

  #propose(when: { asked: boolean }): void {
    const cursor = this.#field.selectionStart;
    const proposed = this.#events.propose(this.text, cursor);
    const start = proposed === null ? null : this.#list.show(proposed, when);
    if (start === null) return this.#list.close();
    const word = this.#mark('span', start, cursor);
    this.#listed.style.top = `${word.offsetTop + word.offsetHeight}px`;
    this.#list.moveTo(word.offsetLeft);
    this.#listed.scrollIntoView({ block: 'nearest' });
  }

  #take(text: string, start: number): void {
    this.#field.setSelectionRange(start, this.#field.selectionStart);
    this.#insert(text);
    this.#list.close();
    if (text.endsWith(': ')) this.#propose({ asked: true }); // a key: what may its value be
  }

  /** As if it was typed: the browser can undo it. */
  #insert(text: string): void {
    if (document.execCommand('insertText', false, text)) return;
    this.#field.setRangeText(text, this.#field.selectionStart, this.#field.selectionEnd, 'end');
    this.#change();
  }

  #draw(): void {
    const wrong = new Set(this.#problems.map(({ line }) => line));
    const count = this.text.split('\n').length;
    const numbers = Array.from({ length: count }, (_, index) => {
      const number = made('span', String(index + 1));
      if (wrong.has(index + 1)) number.classList.add('wrong');
      return number;
    });
    this.#lines.replaceChildren(...numbers);
    this.#drawMarks();
  }

  #drawMarks(): void {
    const { text } = this;
    const parts: (string | HTMLElement)[] = [];
    let done = 0;
    for (const problem of this.#problems.toSorted((a, b) => a.line - b.line || a.column - b.column)) {
      const start = this.#offsetOf(problem);
      if (start < done) continue;
      const word = /^(?:[\w.]+|[^\n]?)/.exec(text.slice(start))?.[0] ?? '';
      parts.push(text.slice(done, start), made('mark', word || ' '));
      done = start + word.length;
    }
    this.#echo.replaceChildren(...parts, `${text.slice(done)} `); // so that an empty last line has a height
  }

  #mark(tag: 'span', start: number, end: number): HTMLElement {
    const { text } = this;
    const mark = made(tag, text.slice(start, end) || ' ');
    this.#echo.replaceChildren(text.slice(0, start), mark, `${text.slice(end)} `);
    return mark;
  }

  #offsetOf({ line, column }: Pick<TextProblem, 'line' | 'column'>): number {
    const above = this.text.split('\n').slice(0, line - 1);
    return Math.min(this.text.length, above.reduce((sum, one) => sum + one.length + 1, 0) + column - 1);
  }
}
