/** The pages that edit a dashboard: its text, what is wrong with it, what it draws, and its versions. */
import { ApiError, call } from '../../public/console/api.js';
import { announce, showProblem } from '../../public/console/page.js';
import type { ProjectNames } from '../../lib/dsl/hints/complete.ts';
import { find, made } from '../element.ts';
import { Questions } from '../questions.ts';
import { Preview } from './preview.ts';
import { type CheckedText, StoredTexts } from './stored-texts.ts';
import { button, changesView, Versions } from './versions.ts';
import { type TextProblem, YamlField } from './yaml-field.ts';
import { type SchemaNode, wordsAt } from './yaml-words.ts';

/** How long nothing is typed before the text is checked. */
const PAUSE_MS = 500;
/** After a check that failed, such as too many of them. */
const AGAIN_MS = 5_000;

class EditorPage {
  readonly #texts: StoredTexts;
  readonly #field: YamlField;
  readonly #preview: Preview;
  readonly #versions: Versions | null;
  readonly #state: HTMLElement;
  readonly #trouble: HTMLElement;
  readonly #problems: HTMLElement;
  readonly #previewState: HTMLElement;
  readonly #questions: Questions;
  readonly #path: string;
  /** '': the dashboard is new. */
  readonly #id: string;
  #version: number;
  /** The text as it is stored. */
  #stored: string;
  #known: { schema: SchemaNode; names: ProjectNames } = { schema: {}, names: { events: [], fields: [], cohorts: [] } };
  #checking = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isSaving = false;

  constructor(place: HTMLElement) {
    const { api = '', path = '', ask = '', id = '', version = '0', visibility = 'project' } = place.dataset;
    [this.#path, this.#id, this.#version] = [path, id, Number(version)];
    this.#texts = new StoredTexts(api, visibility);
    this.#state = find(place, '[data-state]', HTMLElement);
    this.#trouble = find(place, '[data-trouble]', HTMLElement);
    this.#problems = find(place, '[data-problems]', HTMLElement);
    this.#previewState = find(place, '[data-preview-state]', HTMLElement);
    this.#preview = new Preview(find(place, '[data-preview]', HTMLElement), { api, askPath: ask });
    this.#field = new YamlField(find(place, '[data-yaml]', HTMLElement), {
      changed: () => this.#checkSoon(PAUSE_MS),
      save: () => void this.#save(),
      propose: (text, cursor) => wordsAt(text, cursor, this.#known),
    });
    this.#stored = id === '' ? '' : this.#field.text;
    const versions = place.querySelector('[data-versions]');
    this.#versions =
      versions instanceof HTMLDetailsElement
        ? new Versions(versions, { texts: this.#texts, id }, (text, of) => this.#restore(text, of))
        : null;
    find(place, '[data-save]', HTMLButtonElement).addEventListener('click', () => void this.#save());
    const seenBy = place.querySelector('[data-visibility-field]');
    if (seenBy instanceof HTMLSelectElement)
      seenBy.addEventListener('change', () => (this.#texts.visibility = seenBy.value));
    addEventListener('beforeunload', (event) => {
      if (this.#isChanged) event.preventDefault(); // the browser asks whether to leave
    });
    this.#questions = new Questions(api);
  }

  /** Checks the text, and learns which names can be completed. */
  start(): void {
    void this.#check();
    void this.#learn(this.#questions);
  }

  /** A new dashboard that nobody has touched may be left without a question. */
  get #isChanged(): boolean {
    return this.#id === '' ? this.#wasTyped : this.#field.text !== this.#stored;
  }

  #wasTyped = false;

  #checkSoon(pause: number): void {
    this.#wasTyped = true;
    this.#checking.abort();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#check(), pause);
  }

  async #check(): Promise<void> {
    this.#checking = new AbortController();
    const { signal } = this.#checking;
    try {
      const checked = await this.#texts.check(this.#field.text, signal);
      if (!signal.aborted) this.#show(checked);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      this.#previewState.textContent = `Not checked: ${error.message}`;
      this.#timer = setTimeout(() => void this.#check(), AGAIN_MS);
    }
  }

  #show({ problems, dashboard }: CheckedText): void {
    this.#field.mark(problems);
    this.#problems.replaceChildren(...problems.map((problem) => this.#problemItem(problem)));
    this.#problems.hidden = problems.length === 0;
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    this.#previewState.textContent = dashboard === null ? `The text has ${count}; below is what it drew before.` : 'Preview';
    if (dashboard !== null) this.#preview.show(dashboard);
  } // prettier-ignore

  #problemItem(problem: TextProblem): HTMLElement {
    const item = made('li');
    const place = made('button', `${problem.line}:${problem.column}`, { type: 'button', class: 'plain' });
    place.addEventListener('click', () => this.#field.goTo(problem));
    item.append(place, ` ${problem.message}`);
    return item;
  }

  async #save(): Promise<void> {
    if (this.#isSaving) return announce('Still saving. Try again in a moment.');
    this.#isSaving = true;
    const { text } = this.#field;
    try {
      const { dashboard, problems } = await this.#texts.check(text, new AbortController().signal);
      if (dashboard === null) return this.#refuse({ problems, dashboard });
      const id = this.#id === '' ? dashboard.id : this.#id;
      if (id === null) throw new ApiError('The dashboard has no `id`.', ['Add one at the root, such as `id: growth`: it names the dashboard in addresses.']); // prettier-ignore
      const saved = await this.#texts.save(id, text, this.#version);
      this.#keep(id, text, saved.version);
      announce(saved.unchanged ? 'Nothing has changed.' : `Saved as version ${saved.version}.`);
    } catch (error) {
      this.#fail(error, text);
    } finally {
      this.#isSaving = false;
    }
  }

  #refuse(checked: CheckedText): void {
    this.#show(checked);
    const [first] = checked.problems;
    if (first !== undefined) this.#field.goTo(first);
    announce('Not saved: the text has problems.');
  }

  #keep(id: string, text: string, version: number): void {
    [this.#stored, this.#version, this.#wasTyped] = [text, version, false];
    this.#trouble.replaceChildren();
    this.#state.textContent = `Version ${version}.`;
    if (this.#id === '') return location.assign(`${this.#path}/${encodeURIComponent(id)}`);
    void this.#versions?.read();
  }

  #fail(error: unknown, text: string): void {
    const problem = made('div', '', { class: 'problem', role: 'alert' });
    showProblem(problem, error);
    this.#trouble.replaceChildren(problem);
    if (error instanceof ApiError && error.status === 409 && this.#id !== '') void this.#showConflict(text);
  }

  async #showConflict(text: string): Promise<void> {
    try {
      await this.#offerWays(text);
    } catch (error) {
      this.#fail(error, text);
    }
  }

  /** What saving over the version of somebody else would change of it, and both ways on. */
  async #offerWays(text: string): Promise<void> {
    const [newest] = await this.#texts.versions(this.#id);
    if (newest === undefined) return;
    const { version } = newest;
    const theirs = await this.#texts.text(this.#id, version);
    const ways = made('div', '', { class: 'submit' });
    ways.append(
      button('Save mine over it', async () => {
        this.#version = version;
        await this.#save();
      }, (error) => this.#fail(error, text)),
      button('Take theirs', async () => {
        this.#keep(this.#id, theirs, version);
        this.#field.replace(theirs);
      }, (error) => this.#fail(error, text)),
    );
    this.#trouble.append(changesView(`What your text would change of version ${version}`, theirs, text), ways);
  } // prettier-ignore

  #restore(text: string, version: number): void {
    this.#field.replace(text);
    announce(`The text of version ${version} is in the editor. Save to restore it.`);
  }

  /** Without names and schema, the field knows less. */
  async #learn(questions: Questions): Promise<void> {
    try {
      const schema = await call('GET', '/dashboard-schema.json');
      if (typeof schema === 'object' && schema !== null) this.#known = { ...this.#known, schema };
      this.#known = { ...this.#known, names: await questions.names() };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      announce(`Completion is unavailable: ${error.message}`);
    }
  }
}

const place = document.querySelector('[data-editor]');
if (place instanceof HTMLElement) new EditorPage(place).start();
