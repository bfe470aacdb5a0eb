/** The answer to a query in the chosen form: a picture, a table, a text to copy, or how it ran. */
import { showProblem } from '../public/console/page.js';
import { linkingCells } from './answer-links.ts';
import { AnswerMenu } from './answer-menu.ts';
import { readNotes, type ReadNote } from './answer-notes.ts';
import { eventsView, figuresView, hasEvents, hasFigures } from './answer-picture.ts';
import { answerTable } from './answer-table.ts';
import { codeText } from './code-text.ts';
import { momentText } from './dashboard/buckets.ts';
import { find, made } from './element.ts';
import { explainView } from './explain-view.ts';
import { indentedJson } from './indented-json.ts';
import { withOrder } from './query-edits.ts';
import { personAddress } from './person-link.ts';
import { PAGE_ROWS, type Answer, type Question, type Questions, type TextFormat } from './questions.ts';

/** `picture`: events as a stream; for every other answer the same as `table`. */
type Form = 'picture' | 'table' | TextFormat | 'explain';

interface Shown {
  readonly question: Question;
  readonly answer: Answer;
}

/** What the view asks of its page. */
interface Wishes {
  /** Shows another page of the answer. */
  turn(question: Question): void;
  /** Puts another query into the field, and asks it. */
  ask(q: string): void;
}

/** Names of the forms for screen readers. */
const LABELS: Readonly<Record<Form, string>> = {
  picture: 'The answer',
  table: 'The answer',
  llm: 'The answer as Markdown',
  csv: 'The answer as CSV',
  json: 'The answer as JSON',
  explain: 'How the query ran',
};

export class AnswerView {
  readonly #place: HTMLElement;
  readonly #body: HTMLElement;
  readonly #context: HTMLElement;
  readonly #notes: HTMLElement;
  readonly #problem: HTMLElement;
  readonly #forms: readonly HTMLButtonElement[];
  readonly #previous: HTMLButtonElement;
  readonly #next: HTMLButtonElement;
  readonly #questions: Questions;
  readonly #personPath: string;
  readonly #wishes: Wishes;
  readonly #copied: HTMLElement;
  #shown: Shown | null = null;
  #form: Form = 'picture';
  #fetching = new AbortController();

  constructor(place: HTMLElement, questions: Questions, wishes: Wishes) {
    this.#place = place;
    this.#personPath = place.dataset['person'] ?? '';
    this.#questions = questions;
    this.#wishes = wishes;
    this.#body = find(place, '[data-body]', HTMLElement);
    this.#context = find(place, '[data-context]', HTMLElement);
    this.#notes = find(place, '[data-notes]', HTMLElement);
    this.#problem = find(place, '[data-answer-problem]', HTMLElement);
    this.#forms = [...place.querySelectorAll<HTMLButtonElement>('button[data-form]')];
    this.#previous = find(place, 'button[data-previous]', HTMLButtonElement);
    this.#next = find(place, 'button[data-next]', HTMLButtonElement);
    for (const button of this.#forms) {
      button.addEventListener('click', () => void this.#choose(this.#wanted(button)));
    }
    this.#previous.addEventListener('click', () => this.#turn(-PAGE_ROWS));
    this.#next.addEventListener('click', () => this.#turn(PAGE_ROWS));
    const [menu, text] = [find(place, '[data-menu]', HTMLDetailsElement), find(place, '[data-to-copy]', HTMLElement)];
    this.#copied = text;
    void new AnswerMenu({ menu, text, problem: this.#problem }, questions, () => this.#shown);
  }

  /** Shows an answer in the form that was chosen last. */
  async show(question: Question, answer: Answer): Promise<void> {
    this.#shown = { question, answer };
    await this.#choose(this.#form);
  }

  /** What is said around an answer changes together with it. */
  #tell({ question, answer }: Shown): void {
    this.#place.hidden = false;
    this.#context.textContent = contextOf(question, answer);
    this.#notes.replaceChildren(...readNotes(answer.notes, question.q).map((note) => this.#noteView(note)));
    this.#copied.replaceChildren();
    const focused = document.activeElement;
    this.#previous.hidden = question.offset === 0;
    this.#next.hidden = question.offset + answer.rows.length >= answer.total;
    if (focused === this.#next && this.#next.hidden) this.#previous.focus();
    if (focused === this.#previous && this.#previous.hidden) this.#next.focus();
  }

  #noteView({ text, proposal }: ReadNote): HTMLElement {
    const item = made('li');
    item.append(...codeText(text));
    if (proposal === null) return item;
    const button = made('button', '', { type: 'button', class: 'apply' });
    button.append(...codeText(proposal.text));
    button.addEventListener('click', () => this.#wishes.ask(proposal.query));
    item.append(' ', button);
    return item;
  }

  /** Whether it shows rows of the answer to a query. */
  answers(q: string): boolean {
    return this.#shown?.question.q === q;
  }

  /** Removes the answer, which no longer belongs to the query shown. */
  clear(): void {
    this.#fetching.abort();
    this.#shown = null;
    this.#place.hidden = true;
  }

  #turn(by: number): void {
    if (this.#shown === null) return;
    const { q, offset } = this.#shown.question;
    this.#wishes.turn({ q, offset: Math.max(0, offset + by) });
  }

  async #choose(form: Form): Promise<void> {
    this.#form = form;
    const shown = this.#shown;
    if (shown === null) return;
    this.#press(form, hasEvents(shown.answer));
    this.#fetching.abort();
    this.#fetching = new AbortController();
    const { signal } = this.#fetching;
    showProblem(this.#problem, null);
    try {
      const content = await this.#content(form, shown, signal);
      if (signal.aborted) return; // another form or query has replaced it
      this.#tell(shown);
      this.#body.replaceChildren(content);
    } catch (error) {
      if (signal.aborted) return;
      this.#tell(shown);
      this.#body.replaceChildren();
      showProblem(this.#problem, error);
    }
  }

  /** "Table" is a choice only where there is another picture. */
  #wanted(button: HTMLButtonElement): Form {
    const form = formOf(button);
    const hasOther = this.#shown !== null && hasEvents(this.#shown.answer);
    return form === 'table' && !hasOther ? 'picture' : form;
  }

  /** Events have a button of their own. */
  #press(form: Form, areEvents: boolean): void {
    const pressed = form === 'picture' && !areEvents ? 'table' : form;
    for (const button of this.#forms) {
      const own = formOf(button);
      if (own === 'picture') button.hidden = !areEvents;
      button.setAttribute('aria-pressed', String(own === pressed));
    }
  }

  async #content(form: Form, { question, answer }: Shown, signal: AbortSignal): Promise<HTMLElement> {
    switch (form) {
      case 'picture':
        return hasEvents(answer)
          ? eventsView(answer, LABELS.picture, (row, column) => personAddress(this.#personPath, row, column))
          : this.#table({ question, answer });
      case 'table':
        return this.#table({ question, answer });
      case 'explain':
        return explainView(await this.#questions.explanation(question, signal), LABELS.explain);
      case 'llm':
      case 'csv':
      case 'json': {
        const text = await this.#questions.text(question, form, signal);
        return toCopy(text, LABELS[form], form === 'json' ? indentedJson(text) : text);
      }
    }
  }

  #table({ question, answer }: Shown): HTMLElement {
    const label = LABELS.table;
    if (answer.rows.length === 0) return made('p', 'No rows.', { class: 'none' });
    const { q } = question;
    const link = linkingCells(q, answer, this.#personPath);
    if (hasFigures(answer)) return figuresView(answer, label, link);
    const isWhole = answer.rows.length === answer.total;
    const sortAll = (column: string, direction: 'asc' | 'desc'): void =>
      this.#wishes.ask(withOrder(q, column, direction) ?? q);
    const isSorted = !isWhole && withOrder(q, 'any', 'asc') !== null;
    return answerTable(answer, { label, sortAll: isSorted ? sortAll : null, link });
  }
}

function formOf({ dataset }: HTMLButtonElement): Form {
  switch (dataset['form']) {
    case 'picture':
    case 'llm':
    case 'csv':
    case 'json':
    case 'explain':
      return dataset['form'];
    default:
      return 'table';
  }
}

/** A text with a button that copies it (public/console/copy.js). @param shown The text as people read it. */
function toCopy(text: string, label: string, shown: string): HTMLElement {
  const box = made('div', '', { class: 'snippet answer' });
  const pre = made('pre', '', { tabindex: '0', 'aria-label': label });
  pre.append(made('code', shown));
  box.append(pre, made('button', 'Copy', { type: 'button', class: 'copy', 'data-copy': text, 'aria-label': `Copy: ${label}` }));
  return box;
} // prettier-ignore

function contextOf({ offset }: Question, { rows, total, range, elapsed_ms: ms }: Answer): string {
  const [first, last, all] = [offset + 1, offset + rows.length, total].map((number) => number.toLocaleString());
  const shown = rows.length === total ? all : `${first} to ${last} of ${all}`;
  const counted = rows.length === 0 ? 'No rows' : `${shown} ${total === 1 ? 'row' : 'rows'}`;
  return `${counted}, ${momentText(range.from)} to ${momentText(range.to)} (${range.timezone}), ${ms} ms`;
}
