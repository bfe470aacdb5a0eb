/** The versions of a dashboard: who stored them and when, what each has changed, and back to one of them. */
import { showProblem } from '../../public/console/page.js';
import { minuteHere } from '../dashboard/buckets.ts';
import { find, made } from '../element.ts';
import { changedPlaces, lineChanges } from './line-changes.ts';
import type { StoredTexts, Version } from './stored-texts.ts';

/** Lines shown around a change. */
const AROUND = 3;

export class Versions {
  readonly #place: HTMLDetailsElement;
  readonly #list: HTMLOListElement;
  readonly #changes: HTMLElement;
  readonly #texts: StoredTexts;
  readonly #id: string;
  readonly #restore: (text: string, version: number) => void;

  /** `restore` gets the text of an earlier version. */
  constructor(place: HTMLDetailsElement, { texts, id }: { texts: StoredTexts; id: string }, restore: (text: string, version: number) => void) {
    this.#place = place;
    this.#texts = texts;
    this.#id = id;
    this.#restore = restore;
    this.#list = find(place, 'ol', HTMLOListElement);
    this.#changes = find(place, '[data-changes]', HTMLElement);
    place.addEventListener('toggle', () => {
      if (place.open) void this.read();
    });
  } // prettier-ignore

  /** Reads the list, if it is open. */
  async read(): Promise<void> {
    if (!this.#place.open) return;
    try {
      const all = await this.#texts.versions(this.#id);
      this.#list.replaceChildren(...all.map((one, index) => this.#item(one, all[index + 1] ?? null, index === 0)));
    } catch (error) {
      this.#fail(error);
    }
  }

  #item({ version, updated_at: at, updated_by: by }: Version, before: Version | null, isNewest: boolean): HTMLElement {
    const item = made('li');
    item.append(made('strong', `Version ${version}`), ` ${minuteHere(at)}, ${by} `);
    item.append(
      button(before === null ? 'Text' : 'Changes', async () => {
        const [older, text] = await Promise.all([
          before === null ? '' : this.#texts.text(this.#id, before.version),
          this.#texts.text(this.#id, version),
        ]);
        const title = before === null ? `Version ${version}` : `What version ${version} changed`;
        this.#changes.replaceChildren(changesView(title, older, text));
      }, (error) => this.#fail(error)), // prettier-ignore
    );
    if (!isNewest) {
      const restore = button('Restore', async () => this.#restore(await this.#texts.text(this.#id, version), version), (error) => this.#fail(error)); // prettier-ignore
      item.append(restore);
    }
    return item;
  }

  #fail(error: unknown): void {
    const problem = made('div', '', { class: 'problem', role: 'alert' });
    showProblem(problem, error);
    this.#changes.replaceChildren(problem);
  }
}

/** A button that does one thing at a time. It is not disabled meanwhile: that would take the focus from it. */
export function button(text: string, run: () => Promise<unknown>, fail: (error: unknown) => void): HTMLButtonElement {
  const element = made('button', text, { type: 'button', class: 'quiet' });
  let isRunning = false;
  element.addEventListener('click', () => {
    if (isRunning) return;
    isRunning = true;
    void run()
      .catch(fail)
      .finally(() => (isRunning = false));
  });
  return element;
}

/** The lines that one text has changed of another. */
export function changesView(title: string, before: string, after: string): HTMLElement {
  const view = made('figure', '', { class: 'changes' });
  const changes = lineChanges(before, after);
  const count = (kind: string): number => changes.filter((change) => change.kind === kind).length;
  const lines = made('pre', '', { tabindex: '0', 'aria-label': title });
  for (const change of changedPlaces(changes, AROUND)) {
    if (change === null) lines.append(made('span', '⋯\n', { class: 'left-out' }));
    else if (change.kind === 'same') lines.append(made('span', `  ${change.text}\n`));
    else lines.append(made(change.kind === 'added' ? 'ins' : 'del', `${change.kind === 'added' ? '+' : '−'} ${change.text}\n`));
  }
  const added = count('added');
  const told = `${title}: ${added} ${added === 1 ? 'line' : 'lines'} added, ${count('removed')} removed.`;
  view.append(made('figcaption', told), lines);
  return view;
} // prettier-ignore
