/** One dashboard on the page: its variables, its sections, and its cards, which load as they scroll into view. */
import {
  type Annotation,
  MAX_REFRESH_MS,
  type Card,
  type Dashboard,
  type Values,
  type Variable,
} from '../../lib/dashboards/dashboard.ts';
import type { Behind } from '../../lib/dashboards/behind.ts';
import type { CardData } from '../../lib/dashboards/data.ts';
import { defaultValues, readValues } from '../../lib/dashboards/values.ts';
import { made } from '../element.ts';
import { cellPart } from '../cell-part.ts';
import { personAddress } from '../person-link.ts';
import { cardInAddress, fragmentOfValues, isPlace, valuesInAddress } from './address-values.ts';
import { clockText } from './buckets.ts';
import { fragmentOf } from '../fragment-question.ts';
import { CardFrame, type CardSource } from './card-frame.ts';
import type { CardPlace } from './card-menu.ts';
import { NO_LINKS, type CardLinks } from './card-link.ts';
import type { HeadingLevel } from './heading.ts';
import { below, heading } from './heading.ts';
import { presetLabel } from './date-presets.ts';
import { iconShape } from './svg.ts';
import { followPrinting, printButton } from './printing.ts';
import { VariablesForm } from './variables-form.ts';

/** Answers for one set of values. */
export interface BoardRun {
  card(card: Card): Promise<CardData>;
  /** Its queries as they are asked. */
  asked(card: Card): readonly { readonly name: string; readonly q: string }[];
  /** What is behind the parts of the answer to one of them; left out: there is nowhere to ask it. */
  behind?(card: Card, query: string): Behind | null;
  options(variable: Variable): Promise<readonly { readonly value: string; readonly label: string }[]>;
  /** What happened when, for charts over time. */
  annotations(): Promise<readonly Annotation[]>;
  stop(): void;
}

export interface BoardOptions {
  /** The address of the page that asks queries; left out: there is none, and the board has no address to share. */
  readonly askPath?: string;
  /** The address of the page that edits it; left out: whoever sees it may not. */
  readonly editPath?: string;
  /** The address of the page of a person; '': none for whoever looks. */
  readonly personPath?: string;
  /** The text of its file, if that is known. */
  readonly yaml?: string;
  /** The title for some values; left out: that of the file. */
  readonly titleOf?: (values: Values) => string;
  /** Level of the title. */
  readonly level: HeadingLevel;
  /** Starts fetching answers. */
  readonly run: (values: Values) => BoardRun;
  /** For a file with data of one moment: its values and time. */
  readonly fixed: { readonly values: Values; readonly at: string } | null;
}

/** How far below the window a card starts to load, so that it is there once scrolled to. */
const AHEAD = '300px';

export class Board {
  readonly element: HTMLElement;
  readonly #dashboard: Dashboard;
  readonly #options: BoardOptions;
  readonly #frames: readonly CardFrame[];
  readonly #title: HTMLElement;
  readonly #status: HTMLElement;
  readonly #chosen = made('dl', '', { class: 'variables values-shown' });
  /** Of the answers. */
  #zone = 'UTC';
  readonly #problems: HTMLElement;
  #form: VariablesForm | null;
  readonly #watch: IntersectionObserver;
  readonly #ends = new AbortController();
  #values: Values;
  /** What was wrong with the values of the address. */
  #refused: readonly string[];
  #run: BoardRun | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(dashboard: Dashboard, options: BoardOptions) {
    this.#dashboard = dashboard;
    this.#options = options;
    const { values, problems } = readValues(dashboard, options.fixed?.values ?? valuesInAddress(location.hash));
    this.#values = values;
    this.#refused = problems;
    this.element = made('div', '', { class: 'board' });
    this.#title = heading(options.level, '');
    this.#status = made('p', '', { class: 'board-status', role: 'status' });
    this.#problems = made('div', '', { class: 'problem', role: 'alert' });
    this.#form = options.fixed === null ? this.#formOf(values) : null;
    this.#frames = this.#build();
    this.#watch = new IntersectionObserver((entries) => this.#see(entries), { rootMargin: AHEAD });
  } // prettier-ignore

  /** Call this once the element is in the page. */
  start(): void {
    for (const { element } of this.#frames) this.#watch.observe(element);
    const { signal } = this.#ends;
    followPrinting(this.element, { load: this.#load, signal });
    if (this.#options.fixed === null) addEventListener('hashchange', () => this.#goto(), { signal });
    this.#ask();
    this.#point();
  }

  /** Shows the card that the address names. */
  #point(): void {
    const card = cardInAddress(location.hash);
    this.#frames.find(({ id }) => id === card)?.point();
  }

  /** Cancels all requests, so that another board can replace it. */
  stop(): void {
    this.#run?.stop();
    this.#watch.disconnect();
    this.#ends.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Fetches everything again with the same values. */
  #ask(): void {
    this.#run?.stop();
    this.#showValues();
    const run = this.#options.run(this.#values);
    this.#run = run;
    this.#tell(this.#refused); // what could not be fetched before is fetched again
    const source: CardSource = {
      card: (card) => this.#answered(run, card),
      values: JSON.stringify(this.#values),
      again: this.#options.fixed === null,
      annotations: this.#findAnnotations(run),
      clock: (at) => clockText(at, this.#zone),
      linksOf: (card) => this.#linksOf(run, card),
      asked: (card) => run.asked(card),
    };
    for (const frame of this.#frames) frame.load(source);
    void this.#findOptions(run);
    this.#again();
  }

  #linksOf(run: BoardRun, card: Card): CardLinks {
    const { askPath, personPath = '' } = this.#options;
    const person: CardLinks['person'] = (row, column) => personAddress(personPath, row, column);
    if (askPath === undefined) return { ...NO_LINKS, person };
    const address = (q: string | null | undefined): string | null => (q === null || q === undefined ? null : `${askPath}${fragmentOf(q)}`);
    const [only, another] = card.queries;
    return {
      part: (part) => (only === undefined || another !== undefined ? null : address(run.behind?.(card, only.name)?.of(part))),
      cell: (query, { answer, row, column }) => {
        const behind = run.behind?.(card, query) ?? null;
        const part = behind === null ? null : cellPart(behind.source, answer, row, column);
        return part === null ? null : address(behind?.of(part));
      },
      person,
    };
  } // prettier-ignore

  /** Loads the cards that were not in view, too. */
  readonly #load = async (): Promise<void> => {
    await Promise.all(this.#frames.map((frame) => frame.see()));
  };

  /** An answer tells the time of what is shown, and the zone of all times, if the file leaves that to the project. */
  async #answered(run: BoardRun, card: Card): Promise<CardData> {
    const data = await run.card(card);
    const [answer] = data.state === 'ready' ? Object.values(data.queries) : [];
    if (answer !== undefined && run === this.#run) this.#tellTime(answer.range.timezone);
    return data;
  }

  /** Fetches again at the dashboard's interval while the page is visible. */
  #again(): void {
    const { refreshMs } = this.#dashboard;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (refreshMs === null || this.#options.fixed !== null) return;
    const pause = Math.min(refreshMs, MAX_REFRESH_MS); // files that were stored before there was a limit
    this.#timer = setTimeout(() => (document.hidden ? this.#again() : this.#ask()), pause);
  }

  #set(name: string, value: string): void {
    this.#values = { ...this.#values, [name]: value };
    this.#keepInAddress();
    this.#refused = [];
    this.#ask();
  }

  #keepInAddress(): void {
    history.replaceState(null, '', this.#addressOf(null));
  }

  /** With the values, but for those that are the defaults. @param card Its id. */
  #addressOf(card: string | null): string {
    return location.pathname + location.search + fragmentOfValues(this.#values, defaultValues(this.#dashboard), card);
  }

  /** What menus of cards need of the place that the board is in. */
  get #place(): CardPlace {
    const { askPath, yaml } = this.#options;
    return {
      yaml: yaml ?? null,
      askPath: askPath ?? null,
      linkTo: askPath === undefined ? null : (card) => new URL(this.#addressOf(card), location.href).href,
    };
  }

  /** Handles an address changed by hand or by a link; a place in the page keeps the chosen values. */
  #goto(): void {
    if (isPlace(location.hash)) return this.#keepInAddress();
    const { values, problems } = readValues(this.#dashboard, valuesInAddress(location.hash));
    this.#refused = problems;
    this.#tell(problems);
    this.#point();
    if (JSON.stringify(values) === JSON.stringify(this.#values)) return;
    this.#values = values;
    const form = this.#formOf(values);
    this.#form?.element.replaceWith(form.element);
    this.#form = form;
    this.#ask();
  }

  #formOf(values: Values): VariablesForm {
    return new VariablesForm(this.#dashboard, values, (name, value) => this.#set(name, value));
  }

  /** Those of the file where the project's cannot be fetched. */
  async #findAnnotations(run: BoardRun): Promise<readonly Annotation[]> {
    try {
      return await run.annotations();
    } catch (error) {
      if (run === this.#run) this.#refuse(`Annotations: ${error instanceof Error ? error.message : String(error)}`);
      return this.#dashboard.annotations ?? [];
    }
  }

  async #findOptions(run: BoardRun): Promise<void> {
    for (const variable of this.#dashboard.variables) {
      if (variable.kind !== 'cohort' && (variable.kind !== 'select' || variable.source === null)) continue;
      try {
        this.#form?.addOptions(variable.name, await run.options(variable));
      } catch (error) {
        if (run !== this.#run) return;
        this.#refuse(`${variable.label}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  #see(entries: readonly IntersectionObserverEntry[]): void {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      this.#watch.unobserve(target);
      void this.#frames.find(({ element }) => element === target)?.see();
    }
  }

  /** Adds what could not be fetched to the problems that are told. */
  #refuse(problem: string): void {
    this.#problems.append(made('p', problem));
    this.#problems.hidden = false;
  }

  #tell(problems: readonly string[]): void {
    this.#problems.replaceChildren(...problems.map((problem) => made('p', problem)));
    this.#problems.hidden = problems.length === 0;
  }

  #tellTime(zone: string): void {
    const { fixed } = this.#options;
    this.#zone = zone;
    const at =
      fixed === null ? `Updated ${clockText(new Date(), zone)}` : `Snapshot of ${clockText(new Date(fixed.at), zone)}`;
    const text = `${at}. Time zone: ${zone}.`;
    if (this.#status.textContent !== text) this.#status.textContent = text;
  }

  #build(): readonly CardFrame[] {
    const { level, fixed } = this.#options;
    const { description, sections } = this.#dashboard;
    const head = made('div', '', { class: 'board-head' });
    head.append(this.#title);
    if (this.#form !== null) head.append(this.#form.element);
    const tools = made('div', '', { class: 'board-tools' });
    tools.append(this.#status);
    if (fixed === null) {
      const again = made('button', '', { type: 'button', class: 'quiet board-again', 'aria-label': 'Refresh', title: 'Refresh' }); // prettier-ignore
      again.append(iconShape('refresh'));
      again.addEventListener('click', () => this.#ask());
      tools.append(again);
    }
    tools.append(printButton(this.#load));
    const { editPath } = this.#options;
    if (editPath !== undefined) tools.append(made('a', 'Edit', { href: editPath, class: 'button quiet' }));
    head.append(tools);
    this.element.append(head);
    if (description !== null) this.element.append(made('p', description, { class: 'board-description' }));
    this.element.append(this.#chosen, this.#problems);
    return sections.flatMap((section) => {
      const place = made('section', '', { class: 'board-section' });
      if (section.title !== null) place.append(heading(below(level), section.title));
      if (section.description !== null) place.append(made('p', section.description));
      const frames = section.cards.map(
        (card) => new CardFrame(card, below(level, section.title === null ? 1 : 2), this.#place),
      );
      const grid = made('div', '', { class: 'board-grid' });
      grid.append(...frames.map(({ element }) => element));
      place.append(grid);
      this.element.append(place);
      return frames;
    });
  }

  /** The chosen values as text: in a file with data of one moment, and on paper. */
  #showValues(): void {
    const { variables, title } = this.#dashboard;
    this.#title.textContent = this.#options.titleOf?.(this.#values) ?? title;
    const fields = variables.map((variable) => {
      const field = made('div');
      field.append(made('dt', variable.label), made('dd', labelOf(variable, this.#values[variable.name] ?? '')));
      return field;
    });
    this.#chosen.replaceChildren(...fields);
    this.#chosen.classList.toggle('on-paper', this.#form !== null);
    this.#chosen.hidden = variables.length === 0;
  }
}

function labelOf(variable: Variable, value: string): string {
  if (variable.kind === 'range')
    return variable.presets.find((preset) => preset.value === value)?.label ?? presetLabel(value) ?? value;
  if (variable.kind === 'input') return value === '' ? '–' : value;
  if (variable.kind === 'cohort') return value === '' ? (variable.any ?? '–') : value;
  const label = variable.options.find((option) => option.value === value)?.label;
  return label ?? (value === '' ? (variable.any ?? '–') : value);
}
