/**
 * The field for a query: colors, completion, earlier queries, and a mark under the word that an error is about. A textarea has one
 * color and cannot mark words, so its text is transparent, and an element with the same text and font lies behind it.
 */
import { announce } from '../public/console/page.js';
import { gapIn, type ProjectNames } from '../lib/dsl/hints/complete.ts';
import { codeText } from './code-text.ts';
import { coloredQuery } from './colored-query.ts';
import { CompletionList } from './completion-list.ts';
import { find, made } from './element.ts';
import { queryWords } from './proposed-words.ts';
import type { ReadProblem } from './query-problem.ts';
import { NO_NAMES } from './questions.ts';
import { wrongWord } from './wrong-word.ts';

interface Events {
  /** Ctrl or Cmd and Enter. */
  ask(): void;
  /** Escape, with no list open. */
  stop(): void;
  /** The query before (1) or after (-1) the one shown; null: there is none. */
  earlier(by: 1 | -1): string | null;
  /** The most frequent values of a field, as a query writes it; none where they cannot be had. */
  values(field: string): Promise<readonly string[]>;
  /** Somebody has removed all of the text. */
  emptied(): void;
}

export class QueryField {
  readonly #field: HTMLTextAreaElement;
  readonly #echo: HTMLElement;
  readonly #problem: HTMLElement;
  readonly #list: CompletionList;
  readonly #events: Events;
  #names = NO_NAMES;
  /** Of fields that a value was asked for: none until they have come. */
  readonly #values = new Map<string, readonly string[]>();
  /** Whether something was typed and its list not closed since. */
  #typing = false;

  constructor(place: Element, events: Events) {
    this.#field = find(place, 'textarea', HTMLTextAreaElement);
    this.#echo = find(place, '[data-echo]', HTMLElement);
    this.#problem = find(place, '.problem', HTMLElement);
    this.#events = events;
    this.#list = new CompletionList(this.#field, find(place, '[role="listbox"]', HTMLElement), (text, start) =>
      this.#take(text, start),
    );
    this.#field.addEventListener('input', () => {
      this.clearError();
      this.#typing = true;
      this.#propose({ asked: false });
      if (this.#field.value === '') events.emptied();
    });
    this.#field.addEventListener('keydown', (event) => this.#press(event));
    this.#field.addEventListener('blur', () => this.#close());
    this.#field.addEventListener('click', () => this.#close());
  }

  /** Completion works without names until they arrive; then it completes what was typed with them at once. */
  set names(names: ProjectNames) {
    this.#names = names;
    if (this.#typing && this.#list.chosen(false) === null) this.#propose({ asked: false });
  }

  get text(): string {
    return this.#field.value;
  }

  set text(question: string) {
    this.#field.value = question;
    this.#close();
    this.clearError();
  }

  focus(): void {
    this.#field.focus();
  }

  /** Shows an error below the word that it is about, and puts the cursor after that word; its buttons put others in its place. */
  showError(problem: ReadProblem, position: number): void {
    const { start, end } = wrongWord(this.text, position);
    const mark = this.#mark('mark', start, end);
    const fix = (text: string): void => {
      this.#field.setRangeText(text, start, end, 'end');
      this.clearError();
      this.#field.focus();
      this.#events.ask();
    };
    this.#problem.replaceChildren(...problemParts(problem, fix));
    this.#problem.hidden = false;
    this.#problem.style.setProperty('--at', `${mark.offsetLeft + Math.min(mark.offsetWidth, 40) / 2}px`);
    this.#field.setAttribute('aria-invalid', 'true');
    if (document.activeElement === this.#field) this.#field.setSelectionRange(end, end);
  }

  clearError(): void {
    this.#echo.replaceChildren(...coloredQuery(this.#field.value), ' '); // so that an empty last line has a height
    this.#problem.hidden = true;
    this.#problem.replaceChildren();
    this.#field.removeAttribute('aria-invalid');
  }

  #press(event: KeyboardEvent): void {
    if (event.isComposing || event.altKey) return;
    if (this.#done(event)) event.preventDefault();
  }

  /** Whether the key did something special to this field. */
  #done({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
    if (key === 'Enter' && (ctrlKey || metaKey)) return this.#ask();
    if (key === ' ' && ctrlKey) return this.#open();
    if (ctrlKey || metaKey || shiftKey) return false;
    if (key === 'Escape') return this.#escape();
    if (this.#list.isOpen) return this.#list.press(key);
    if (key === 'ArrowUp' && !this.#before.includes('\n')) return this.#show(this.#events.earlier(1));
    if (key === 'ArrowDown' && !this.#after.includes('\n')) return this.#show(this.#events.earlier(-1));
    return false;
  }

  #ask(): boolean {
    this.#close();
    this.#events.ask();
    return true;
  }

  /** Shows completions for the cursor, below the word being typed. */
  #propose(when: { asked: boolean }): void {
    const start = this.#list.show(queryWords(this.#before, { ...this.#names, values: this.#values }), when);
    void this.#fetchValues(when);
    if (start !== null) this.#list.moveTo(this.#mark('span', start, this.#field.selectionStart).offsetLeft);
  }

  /** Once for each field; proposes them if somebody still waits there. */
  async #fetchValues(when: { asked: boolean }): Promise<void> {
    const { field } = gapIn(this.#before);
    if (field === null || field === 'event_type' || this.#values.has(field)) return;
    this.#values.set(field, []);
    this.#values.set(field, await this.#events.values(field));
    if (gapIn(this.#before).field === field && document.activeElement === this.#field) this.#propose(when);
  }

  /** Wraps a part of the text behind the field in an element. */
  #mark(tag: 'mark' | 'span', start: number, end: number): HTMLElement {
    const { value } = this.#field;
    const mark = made(tag, value.slice(start, end) || ' ');
    const [before, after] = [coloredQuery(value, 0, start), coloredQuery(value, end)];
    this.#echo.replaceChildren(...before, mark, ...after, ' ');
    return mark;
  }

  #open(): boolean {
    this.clearError();
    this.#propose({ asked: true });
    if (!this.#list.isOpen) announce('No suggestions here');
    return true;
  }

  #escape(): boolean {
    const { isOpen } = this.#list;
    this.#close();
    if (!isOpen) this.#events.stop();
    return true;
  }

  #show(question: string | null): boolean {
    if (question === null) return false;
    this.text = question;
    this.#field.setSelectionRange(question.length, question.length);
    return true;
  }

  #take(text: string, start: number): void {
    this.#field.setRangeText(text, start, this.#field.selectionStart, 'end');
    this.#close();
    this.clearError();
  }

  #close(): void {
    this.#typing = false;
    this.#list.close();
  }

  get #before(): string {
    return this.#field.value.slice(0, this.#field.selectionStart);
  }

  get #after(): string {
    return this.#field.value.slice(this.#field.selectionEnd);
  }
}

/** The words that may be meant as buttons, then what is wrong, then all that could stand there. */
function problemParts({ fixes, hints, sentence, others }: ReadProblem, fix: (text: string) => void): readonly HTMLElement[] {
  const parts: HTMLElement[] = [];
  if (fixes.length > 0) {
    const meant = made('p', 'Did you mean ', { class: 'meant' });
    fixes.forEach((text) => {
      const button = made('button', text, { type: 'button', class: 'apply' });
      button.addEventListener('click', () => fix(text));
      meant.append(button, ' ');
    });
    parts.push(meant);
  }
  for (const text of [sentence, ...hints]) {
    const line = made('p');
    line.append(...codeText(text));
    parts.push(line);
  }
  if (others === null) return parts;
  const all = made('details');
  all.append(made('summary', 'What can stand here'), made('p', others.words.replaceAll('`', ''), { class: 'words' }));
  return [...parts, all];
} // prettier-ignore
