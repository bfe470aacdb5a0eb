/** The saved questions of a project: a list that everybody there sees, and a form that saves the one shown, for members. */
import { call, textField } from '../public/console/api.js';
import { isConfirmed } from '../public/console/confirm.js';
import { announce, showProblem } from '../public/console/page.js';
import { dayHere } from './dashboard/buckets.ts';
import { find, made } from './element.ts';
import { questionItem } from './question-item.ts';

/** As the API has it, a version of it. */
interface SavedQuestion {
  readonly name: string;
  readonly query: string;
  readonly version: number;
  readonly updated_at: string;
  readonly updated_by: string;
}

export class SavedShelf {
  readonly #place: HTMLElement;
  readonly #api: string;
  readonly #shown: () => string;
  readonly #shelf: HTMLDetailsElement;
  readonly #list: HTMLUListElement;
  readonly #writes: boolean;
  #questions: readonly SavedQuestion[] = [];

  /** `shown`: the query to save. `api`: the path of the project in the session API. */
  constructor(place: HTMLElement, api: string, shown: () => string) {
    this.#place = place;
    this.#api = `${api}/questions`;
    this.#shown = shown;
    this.#shelf = find(place, '[data-saved]', HTMLDetailsElement);
    this.#list = find(this.#shelf, 'ul', HTMLUListElement);
    this.#writes = this.#shelf.dataset['writes'] === 'yes';
  }

  async start(): Promise<void> {
    if (this.#writes) this.#addForm();
    await this.#read().catch((error: unknown) => {
      this.#shelf.hidden = false;
      this.#list.replaceChildren(made('li', error instanceof Error ? error.message : String(error)));
    });
  }

  #addForm(): void {
    const opens = find(this.#place, 'button[data-save]', HTMLButtonElement);
    const form = find(this.#place, '[data-save-form]', HTMLFormElement);
    const [name, problem] = [find(form, 'input', HTMLInputElement), find(form, '.problem', HTMLElement)];
    const show = (shown: boolean): void => {
      form.hidden = !shown;
      opens.setAttribute('aria-expanded', String(shown));
      showProblem(problem, null);
      if (shown) name.focus();
      else opens.focus();
    };
    opens.addEventListener('click', () => {
      name.value = this.#questions.find(({ query }) => query === this.#shown())?.name ?? name.value;
      show(form.hidden === true);
    });
    find(form, '[data-cancel-save]', HTMLButtonElement).addEventListener('click', () => show(false));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#save(name.value.trim(), this.#shown()).then(
        () => show(false),
        (error: unknown) => showProblem(problem, error),
      );
    });
  }

  async #save(name: string, query: string): Promise<void> {
    const saved = await call('PUT', this.#at(name), { query });
    await this.#read();
    const unchanged = typeof saved === 'object' && saved !== null && 'unchanged' in saved && saved.unchanged === true;
    announce(unchanged ? 'It is saved already, as it is.' : `Saved as "${textField(saved, 'name') ?? name}".`);
  }

  async #read(): Promise<void> {
    this.#questions = savedIn(await call('GET', this.#api));
    this.#shelf.hidden = this.#questions.length === 0;
    find(this.#shelf, 'summary', HTMLElement).textContent = `Saved questions (${this.#questions.length})`;
    this.#list.replaceChildren(...this.#questions.map((question) => this.#item(question)));
  }

  #item(question: SavedQuestion): HTMLElement {
    const { name, query, version } = question;
    const item = questionItem({ q: query, name });
    const about = made('p', `${writtenText(question)} `, { class: 'hint' });
    if (version > 1) about.append(this.#button('Versions', () => this.#showVersions(item, name)));
    if (this.#writes) about.append(this.#button('Delete', () => this.#delete(name)));
    item.append(about);
    return item;
  }

  #button(text: string, run: () => Promise<void>): HTMLButtonElement {
    const button = made('button', text, { type: 'button', class: 'quiet' });
    button.addEventListener('click', () => {
      run().catch((error: unknown) => announce(error instanceof Error ? error.message : String(error)));
    });
    return button;
  }

  /** The queries that it had before; a second click hides them. */
  async #showVersions(item: HTMLElement, name: string): Promise<void> {
    const shown = item.querySelector('.versions');
    if (shown !== null) return shown.remove();
    const versions = savedIn(await call('GET', `${this.#at(name)}/versions`));
    const list = made('ol', '', { class: 'versions' });
    for (const version of versions) {
      const one = questionItem({ q: version.query });
      one.append(made('p', writtenText(version), { class: 'hint' }));
      list.append(one);
    }
    item.append(list);
  }

  async #delete(name: string): Promise<void> {
    if (!(await isConfirmed(`Delete the saved question "${name}", with all its versions?`, 'Delete question'))) return;
    await call('DELETE', this.#at(name));
    await this.#read();
    if (this.#shelf.hidden) find(this.#place, 'button[data-save]', HTMLButtonElement).focus();
    else find(this.#shelf, 'summary', HTMLElement).focus(); // the button that had it is gone
    announce(`"${name}" is deleted.`);
  }

  #at(name: string): string {
    return `${this.#api}/${encodeURIComponent(name)}`;
  }
}

function writtenText({ version, updated_at: at, updated_by: by }: SavedQuestion): string {
  return `Version ${version}, ${dayHere(at)}, by ${by}.`;
}

function savedIn(answer: unknown): readonly SavedQuestion[] {
  return Array.isArray(answer) ? answer.filter(isSaved) : [];
}

function isSaved(value: unknown): value is SavedQuestion {
  return typeof value === 'object' && value !== null && 'name' in value && 'query' in value && 'updated_at' in value;
}
