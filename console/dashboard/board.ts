/** One dashboard on the page: its variables, its sections, and its cards, which load as they scroll into view. */
import {
  MAX_REFRESH_MS,
  type Card,
  type Dashboard,
  type Values,
  type Variable,
} from '../../lib/dashboards/dashboard.ts';
import type { CardData } from '../../lib/dashboards/data.ts';
import { defaultValues, readValues } from '../../lib/dashboards/values.ts';
import { made } from '../element.ts';
import { fragmentOfValues, isPlace, valuesInAddress } from './address-values.ts';
import { momentText } from './buckets.ts';
import { CardFrame } from './card-frame.ts';
import type { HeadingLevel } from './heading.ts';
import { below, heading } from './heading.ts';
import { VariablesForm } from './variables-form.ts';

/** Answers for one set of values. */
export interface BoardRun {
  card(card: Card): Promise<CardData>;
  options(variable: Variable): Promise<readonly { readonly value: string; readonly label: string }[]>;
  stop(): void;
}

export interface BoardOptions {
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
  readonly #status: HTMLElement;
  readonly #zone = made('span');
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
    addEventListener('beforeprint', () => this.#frames.forEach((frame) => frame.see()), { signal });
    if (this.#options.fixed === null) addEventListener('hashchange', () => this.#goto(), { signal });
    this.#ask();
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
    const run = this.#options.run(this.#values);
    this.#run = run;
    this.#tell(this.#refused); // what could not be fetched before is fetched again
    const source = { card: (card: Card) => this.#answered(run, card) };
    for (const frame of this.#frames) frame.load(source);
    this.#tellTime();
    void this.#findOptions(run);
    this.#again();
  }

  /** The first answer tells the zone in which days are counted, if the file leaves that to the project. */
  async #answered(run: BoardRun, card: Card): Promise<CardData> {
    const data = await run.card(card);
    const [answer] = data.state === 'ready' ? Object.values(data.queries) : [];
    if (answer !== undefined) this.#tellZone(answer.range.timezone);
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
    const fragment = fragmentOfValues(this.#values, defaultValues(this.#dashboard));
    history.replaceState(null, '', location.pathname + location.search + fragment);
  }

  /** Handles an address changed by hand or by a link; a place in the page keeps the chosen values. */
  #goto(): void {
    if (isPlace(location.hash)) return this.#keepInAddress();
    const { values, problems } = readValues(this.#dashboard, valuesInAddress(location.hash));
    this.#refused = problems;
    this.#tell(problems);
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

  async #findOptions(run: BoardRun): Promise<void> {
    const problems = [...this.#refused];
    for (const variable of this.#dashboard.variables) {
      if (variable.kind !== 'cohort' && (variable.kind !== 'select' || variable.source === null)) continue;
      try {
        this.#form?.addOptions(variable.name, await run.options(variable));
      } catch (error) {
        if (run !== this.#run) return;
        problems.push(`${variable.label}: ${error instanceof Error ? error.message : String(error)}`);
        this.#tell(problems);
      }
    }
  }

  #see(entries: readonly IntersectionObserverEntry[]): void {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      this.#watch.unobserve(target);
      this.#frames.find(({ element }) => element === target)?.see();
    }
  }

  #tell(problems: readonly string[]): void {
    this.#problems.replaceChildren(...problems.map((problem) => made('p', problem)));
    this.#problems.hidden = problems.length === 0;
  }

  #tellTime(): void {
    const { fixed } = this.#options;
    const written = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format();
    const when = fixed === null ? `As of ${written}` : `As of ${momentText(fixed.at)}${fixed.at.endsWith('Z') ? ' UTC' : ''}`;
    this.#status.replaceChildren(`${when}. `, this.#zone);
  } // prettier-ignore

  #tellZone(zone: string): void {
    const text = zone === 'UTC' ? 'Days follow UTC.' : `Days follow ${zone} time.`;
    if (this.#zone.textContent !== text) this.#zone.textContent = text;
  }

  #build(): readonly CardFrame[] {
    const { level, fixed } = this.#options;
    const { title, description, sections } = this.#dashboard;
    const head = made('div', '', { class: 'board-head' });
    head.append(heading(level, title), this.#status);
    if (fixed === null) {
      const again = made('button', 'Refresh', { type: 'button', class: 'quiet board-again' });
      again.addEventListener('click', () => this.#ask());
      head.append(again);
    }
    this.element.append(head);
    if (description !== null) this.element.append(made('p', description, { class: 'board-description' }));
    this.element.append(this.#form?.element ?? this.#valuesShown(), this.#problems);
    return sections.flatMap((section) => {
      const place = made('section', '', { class: 'board-section' });
      if (section.title !== null) place.append(heading(below(level), section.title));
      if (section.description !== null) place.append(made('p', section.description));
      const frames = section.cards.map((card) => new CardFrame(card, below(level, section.title === null ? 1 : 2)));
      const grid = made('div', '', { class: 'board-grid' });
      grid.append(...frames.map(({ element }) => element));
      place.append(grid);
      this.element.append(place);
      return frames;
    });
  }

  /** In a file with data of one moment: the values chosen for it. */
  #valuesShown(): HTMLElement {
    const list = made('dl', '', { class: 'variables values-shown' });
    for (const variable of this.#dashboard.variables) {
      const field = made('div');
      field.append(made('dt', variable.label), made('dd', labelOf(variable, this.#values[variable.name] ?? '')));
      list.append(field);
    }
    list.hidden = this.#dashboard.variables.length === 0;
    return list;
  }
}

function labelOf(variable: Variable, value: string): string {
  if (variable.kind === 'range') return variable.presets.find((preset) => preset.value === value)?.label ?? value;
  if (variable.kind === 'input') return value === '' ? '–' : value;
  if (variable.kind === 'cohort') return value === '' ? (variable.any ?? '–') : value;
  const label = variable.options.find((option) => option.value === value)?.label;
  return label ?? (value === '' ? (variable.any ?? '–') : value);
}
