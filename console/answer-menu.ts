/** Takes an answer elsewhere: files with all of its rows, and its query for a shell, a colleague or a dashboard. */
import { isCopied } from '../public/console/copy.js';
import { announce, showProblem } from '../public/console/page.js';
import { cardYaml, curlCommand, wlCommand } from './answer-copies.ts';
import { fileName, saveFile } from './dashboard/card-file.ts';
import { find, made } from './element.ts';
import { questionAddress } from './fragment-question.ts';
import { MOST_ROWS, type Answer, type Question, type Questions } from './questions.ts';

interface Places {
  readonly menu: HTMLDetailsElement;
  /** Where a text stands that the browser does not let a page copy. */
  readonly text: HTMLElement;
  readonly problem: HTMLElement;
}

interface Shown {
  readonly question: Question;
  readonly answer: Answer;
}

const TYPES = { csv: 'text/csv;charset=utf-8', json: 'application/json' } as const;

export class AnswerMenu {
  readonly #places: Places;
  readonly #questions: Questions;
  readonly #shown: () => Shown | null;

  constructor(places: Places, questions: Questions, shown: () => Shown | null) {
    this.#places = places;
    this.#questions = questions;
    this.#shown = shown;
    const { menu } = places;
    menu.addEventListener('click', (event) => {
      const { act } = event.target instanceof HTMLButtonElement ? event.target.dataset : {};
      if (act !== undefined) this.#choose(act);
    });
  }

  #choose(act: string): void {
    const shown = this.#shown();
    if (shown === null) return;
    this.#close();
    showProblem(this.#places.problem, null);
    this.#places.text.replaceChildren();
    this.#act(act, shown).catch((error: unknown) => showProblem(this.#places.problem, error));
  }

  #act(act: string, { question, answer }: Shown): Promise<void> {
    const { q } = question;
    switch (act) {
      case 'csv':
      case 'json':
        return this.#save(act, { question, answer });
      case 'markdown':
        return this.#copy(() => this.#questions.text(question, 'llm', new AbortController().signal), 'Markdown');
      case 'curl':
        return this.#copy(curlCommand(q, location.origin), 'Command');
      case 'wl':
        return this.#copy(wlCommand(q), 'Command');
      case 'card':
        return this.#copy(cardYaml(q, answer), 'Card');
      default:
        return this.#copy(questionAddress(q), 'Link');
    }
  }

  /** All rows of the answer, not only the page that is shown. */
  async #save(format: 'csv' | 'json', { question: { q }, answer }: Shown): Promise<void> {
    const text = await this.#questions.file(q, format);
    saveFile(fileName(q, format), new Blob([text], { type: TYPES[format] }));
    const { total } = answer;
    if (total > MOST_ROWS)
      announce(`Saved the first ${MOST_ROWS.toLocaleString()} of ${total.toLocaleString()} rows: \`wl query --limit\` and \`offset\` have the others.`); // prettier-ignore
    else announce(`Saved ${total.toLocaleString()} ${total === 1 ? 'row' : 'rows'}.`);
  }

  /** Where a page may not copy, the text stands selected below. */
  async #copy(text: string | (() => Promise<string>), what: string): Promise<void> {
    if (await isCopied(text)) return announce(`${what} copied.`);
    const code = made('code', typeof text === 'string' ? text : await text());
    const pre = made('pre', '', { tabindex: '0', 'aria-label': what });
    pre.append(code);
    this.#places.text.replaceChildren(pre);
    getSelection()?.selectAllChildren(code);
    announce('Selected: now copy it.');
  }

  #close(): void {
    const { menu } = this.#places;
    menu.open = false;
    find(menu, 'summary', HTMLElement).focus();
  }
}
