/** The page for queries: /console/projects/{projectID}/ask. */
import { ApiError } from '../public/console/api.js';
import { takeFragment } from '../public/console/fragment.js';
import { announce, showProblem } from '../public/console/page.js';
import type { ProjectNames } from '../lib/dsl/hints/complete.ts';
import { AnswerView } from './answer-view.ts';
import { AskedBefore } from './asked-before.ts';
import { CohortList } from './cohort-list.ts';
import { find } from './element.ts';
import { fragmentOf, questionIn } from './fragment-question.ts';
import { withRange } from './query-edits.ts';
import { QueryField } from './query-field.ts';
import { questionItem } from './question-item.ts';
import { readProblem } from './query-problem.ts';
import { queryTemplates } from './query-templates.ts';
import { NO_NAMES, Questions, type Question } from './questions.ts';
import { SavedShelf } from './saved-questions.ts';

const FIRST_QUESTION = 'inspect *';

/** A query that takes longer may be stopped, so the page says how. */
const SLOW_MS = 2_000;

class AskPage {
  readonly #place: HTMLElement;
  readonly #questions: Questions;
  readonly #before: AskedBefore;
  readonly #field: QueryField;
  readonly #view: AnswerView;
  readonly #form: HTMLFormElement;
  readonly #problem: HTMLElement;
  readonly #earlier: HTMLElement;
  readonly #templates: HTMLDetailsElement;
  readonly #cohorts: CohortList;
  readonly #saved: SavedShelf;
  /** Which earlier query the field shows; -1: what was typed. */
  #at = -1;
  #typed = '';
  #asking = new AbortController();

  constructor(place: HTMLElement) {
    const { api = '', account = '', project = '' } = place.dataset;
    this.#place = place;
    this.#questions = new Questions(api);
    this.#before = new AskedBefore(account, project);
    this.#form = find(place, 'form', HTMLFormElement);
    this.#problem = find(place, '[data-trouble]', HTMLElement);
    this.#earlier = find(place, '[data-earlier]', HTMLElement);
    this.#templates = find(place, '[data-templates]', HTMLDetailsElement);
    const cohorts = find(place, '[data-cohorts]', HTMLDetailsElement);
    this.#cohorts = new CohortList(cohorts, find(cohorts, 'ul', HTMLUListElement), this.#questions);
    this.#field = new QueryField(this.#form, {
      ask: () => this.#form.requestSubmit(),
      stop: () => this.#stop(),
      earlier: (by) => this.#goBack(by),
      values: (field) => this.#questions.valuesOf(field),
      emptied: () => (this.#templates.open = true),
    });
    this.#view = new AnswerView(find(place, '[data-answer]', HTMLElement), this.#questions, {
      turn: (question) => void this.#ask(question),
      ask: (q) => this.#askThis(q),
    });
    this.#saved = new SavedShelf(place, api, () => this.#field.text);
  }

  start(): void {
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#askTyped();
    });
    addEventListener('hashchange', () => this.#askFragment());
    const range = find(this.#form, '[data-range]', HTMLSelectElement);
    range.addEventListener('change', () => {
      const q = withRange(this.#field.text, range.value);
      range.value = '';
      this.#askThis(q);
    });
    if (/Mac|iP/.test(navigator.platform)) find(this.#form, '[data-command]', HTMLElement).textContent = '⌘';
    find(this.#place, 'button[data-forget]', HTMLButtonElement).addEventListener('click', () => this.#forget());
    const kept = takeFragment();
    if (location.hash === '' && kept !== '') history.replaceState(null, '', kept);
    this.#listEarlier();
    this.#templates.open = questionIn(location.hash) === null;
    this.#askFragment();
    if (matchMedia('(pointer: fine)').matches) this.#field.focus(); // on touch screens a keyboard would cover the answer
    void this.#fetchNames();
    void this.#saved.start();
  }

  /** As if it had been typed. */
  #askThis(q: string): void {
    this.#field.text = q;
    this.#form.requestSubmit();
  }

  #askFragment(): void {
    this.#field.text = questionIn(location.hash) ?? FIRST_QUESTION;
    void this.#ask({ q: this.#field.text, offset: 0 });
  }

  async #askTyped(): Promise<void> {
    const q = this.#field.text.trim() === '' ? FIRST_QUESTION : this.#field.text;
    if (q !== this.#field.text) this.#field.text = q;
    if (questionIn(location.hash) !== q) history.pushState(null, '', fragmentOf(q));
    this.#at = -1;
    await this.#ask({ q, offset: 0 }, () => {
      this.#before.add(q);
      this.#listEarlier();
    });
  }

  /** Runs a query and cancels the one before. `answered`: once there is an answer. */
  async #ask(question: Question, answered = (): void => undefined): Promise<void> {
    this.#asking.abort();
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    this.#form.setAttribute('aria-busy', 'true');
    this.#field.clearError();
    showProblem(this.#problem, null);
    const telling = setTimeout(() => announce('Still running. Press Esc in the question to stop it.'), SLOW_MS);
    try {
      const answer = await this.#questions.answer(question, signal);
      if (signal.aborted) return;
      answered();
      await this.#view.show(question, answer);
    } catch (error) {
      if (signal.aborted) return;
      this.#fail(error, question.q);
    } finally {
      clearTimeout(telling);
      if (this.#asking.signal === signal) this.#form.removeAttribute('aria-busy');
    }
  }

  #stop(): void {
    if (!this.#form.hasAttribute('aria-busy')) return;
    this.#asking.abort();
    announce('Stopped.');
  }

  #fail(error: unknown, q: string): void {
    if (!this.#view.answers(q)) this.#view.clear(); // of the same query, another page or a repetition failed: what is here stays
    if (!(error instanceof ApiError) || error.position === null) return showProblem(this.#problem, error);
    const problem = readProblem(error.message, error.hints);
    if (this.#field.text === q) this.#field.showError(problem, error.position);
    else showProblem(this.#problem, new ApiError(problem.sentence, error.hints)); // somebody has typed on: the place is another now
  }

  /** Without names, completion still knows the language, and templates are of any event. */
  async #fetchNames(): Promise<void> {
    try {
      const names = await this.#questions.names();
      this.#field.names = names;
      this.#listTemplates(names);
      this.#cohorts.show(names.cohorts);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#listTemplates(NO_NAMES);
      announce(`Completion is unavailable: ${error.message}`);
    }
  }

  #goBack(by: 1 | -1): string | null {
    const { list } = this.#before;
    const at = this.#at + by;
    if (at < -1 || at >= list.length) return null;
    if (this.#at === -1) this.#typed = this.#field.text;
    this.#at = at;
    return at === -1 ? this.#typed : (list[at] ?? null);
  }

  #listEarlier(): void {
    const { list } = this.#before;
    find(this.#earlier, 'ul', HTMLUListElement).replaceChildren(...list.map((q) => questionItem({ q })));
    this.#earlier.hidden = list.length === 0;
  }

  #listTemplates(names: ProjectNames): void {
    const items = queryTemplates(names).map((template) => questionItem(template));
    find(this.#templates, 'ul', HTMLUListElement).replaceChildren(...items);
  }

  #forget(): void {
    this.#before.forget();
    this.#at = -1;
    this.#listEarlier();
    announce('History cleared.');
    this.#field.focus();
  }
}

const place = document.querySelector('[data-ask]');
if (place instanceof HTMLElement) new AskPage(place).start();
