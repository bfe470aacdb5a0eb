/** The answer to a query in the chosen form: a table, a text to copy, or how it ran. */
import { showProblem } from '../public/console/page.js';
import { answerTable } from './answer-table.ts';
import { find, made } from './element.ts';
import { explanationText } from './explanation-text.ts';
import { PAGE_ROWS, type Answer, type Question, type Questions, type TextFormat } from './questions.ts';

type Form = 'table' | TextFormat | 'explain';

interface Shown {
  readonly question: Question;
  readonly answer: Answer;
}

/** Names of the forms for screen readers. */
const LABELS: Readonly<Record<Form, string>> = {
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
  #shown: Shown | null = null;
  #form: Form = 'table';
  #fetching = new AbortController();

  /** `turn` requests another page of the answer. */
  constructor(place: HTMLElement, questions: Questions, turn: (question: Question) => void) {
    this.#place = place;
    this.#questions = questions;
    this.#body = find(place, '[data-body]', HTMLElement);
    this.#context = find(place, '[data-context]', HTMLElement);
    this.#notes = find(place, '[data-notes]', HTMLElement);
    this.#problem = find(place, '.problem', HTMLElement);
    this.#forms = [...place.querySelectorAll<HTMLButtonElement>('button[data-form]')];
    this.#previous = find(place, 'button[data-previous]', HTMLButtonElement);
    this.#next = find(place, 'button[data-next]', HTMLButtonElement);
    for (const button of this.#forms) {
      button.addEventListener('click', () => void this.#choose(formOf(button)));
    }
    this.#previous.addEventListener('click', () => this.#turn(-PAGE_ROWS, turn));
    this.#next.addEventListener('click', () => this.#turn(PAGE_ROWS, turn));
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
    this.#notes.replaceChildren(...answer.notes.map((note) => made('li', note)));
    const focused = document.activeElement;
    this.#previous.hidden = question.offset === 0;
    this.#next.hidden = question.offset + answer.rows.length >= answer.total;
    if (focused === this.#next && this.#next.hidden) this.#previous.focus();
    if (focused === this.#previous && this.#previous.hidden) this.#next.focus();
  }

  /** Removes the answer, which no longer belongs to the query shown. */
  clear(): void {
    this.#fetching.abort();
    this.#shown = null;
    this.#place.hidden = true;
  }

  #turn(by: number, turn: (question: Question) => void): void {
    if (this.#shown === null) return;
    const { q, offset } = this.#shown.question;
    turn({ q, offset: Math.max(0, offset + by) });
  }

  async #choose(form: Form): Promise<void> {
    this.#form = form;
    for (const button of this.#forms) button.setAttribute('aria-pressed', String(formOf(button) === form));
    const shown = this.#shown;
    if (shown === null) return;
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

  async #content(form: Form, { question, answer }: Shown, signal: AbortSignal): Promise<HTMLElement> {
    switch (form) {
      case 'table':
        return answer.rows.length === 0 ? made('p', 'No rows.', { class: 'none' }) : answerTable(answer, LABELS.table);
      case 'explain':
        return toCopy(explanationText(await this.#questions.explanation(question, signal)), LABELS.explain);
      case 'llm':
      case 'csv':
      case 'json':
        return toCopy(await this.#questions.text(question, form, signal), LABELS[form]);
    }
  }
}

function formOf({ dataset }: HTMLButtonElement): Form {
  switch (dataset['form']) {
    case 'llm':
    case 'csv':
    case 'json':
    case 'explain':
      return dataset['form'];
    default:
      return 'table';
  }
}

/** A text with a button that copies it (public/console/copy.js). */
function toCopy(text: string, label: string): HTMLElement {
  const box = made('div', '', { class: 'snippet answer' });
  const pre = made('pre', '', { tabindex: '0', 'aria-label': label });
  pre.append(made('code', text));
  box.append(pre, made('button', 'Copy', { type: 'button', class: 'copy', 'data-copy': '', 'aria-label': `Copy: ${label}` }));
  return box;
} // prettier-ignore

function contextOf({ offset }: Question, { rows, total, range, elapsed_ms: ms }: Answer): string {
  const shown = rows.length === total ? String(total) : `${offset + 1} to ${offset + rows.length} of ${total}`;
  const counted = rows.length === 0 ? 'No rows' : `${shown} ${total === 1 ? 'row' : 'rows'}`;
  return `${counted}, ${minute(range.from)} to ${minute(range.to)} (${range.timezone}), ${ms} ms`;
}

/** `2026-11-14T04:26:44.488Z` → `2026-11-14 04:26`, in the answer's zone. */
function minute(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}
