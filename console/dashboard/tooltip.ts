/** Shows what is under the pointer, or at the place selected by arrow keys. One per card. */
import { made } from '../element.ts';

/** A line of a tooltip: the colour of a series, its name, its value. */
export interface TooltipLine {
  /** Number of the colour; null: none. */
  readonly color: number | null;
  /** Whether its line is dashed. */
  readonly dashed?: boolean;
  readonly name: string;
  readonly value: string;
}

const GAP_PX = 14;

/** The one that shows something: the next press elsewhere hides it. */
let shown: { readonly place: HTMLElement; readonly away: () => void } | null = null;
addEventListener('pointerdown', ({ target }) => {
  if (shown !== null && !(target instanceof Node && shown.place.contains(target))) shown.away();
});

export class Tooltip {
  readonly element: HTMLElement;
  readonly #place: HTMLElement;
  readonly #away: () => void;

  /** `place` is its container, which must be positioned. `away` hides it. */
  constructor(place: HTMLElement, away: (() => void) | null = null) {
    this.#place = place;
    this.#away = away ?? (() => this.hide());
    this.element = made('div', '', { class: 'tip', role: 'status' }); // empty and never hidden: a status is read when it changes
    place.append(this.element);
  }

  /** `at`: in pixels of its container. */
  show(title: string, lines: readonly TooltipLine[], at: { readonly x: number; readonly y: number }): void {
    shown = { place: this.#place, away: this.#away };
    this.element.replaceChildren(made('p', title, { class: 'tip-title' }), ...lines.map(lineOf));
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const room = this.#place.clientWidth;
    const right = at.x + GAP_PX + width <= room;
    const left = right ? at.x + GAP_PX : Math.max(0, Math.min(at.x - GAP_PX - width, room - width));
    this.element.style.left = `${left}px`;
    this.element.style.top = `${Math.max(0, Math.min(at.y, this.#place.clientHeight - height))}px`;
  }

  hide(): void {
    if (shown?.place === this.#place) shown = null;
    this.element.replaceChildren();
  }

  /** Shows a text while the pointer is over an element of a picture, or after a tap on it. */
  readonly tell = (element: Element, text: string): void => {
    element.setAttribute('data-tip', text);
    const show = (event: Event): void => {
      if (!(event instanceof PointerEvent)) return;
      const { left, top } = this.#place.getBoundingClientRect();
      this.show(text, [], { x: event.clientX - left, y: event.clientY - top });
    };
    element.addEventListener('pointerdown', show);
    element.addEventListener('pointermove', show);
    element.addEventListener('pointerleave', (event) => {
      if (!(event instanceof PointerEvent && event.pointerType === 'touch')) this.hide();
    });
  };
}

function lineOf({ color, dashed = false, name, value }: TooltipLine): HTMLElement {
  const line = made('p', '', { class: 'tip-line' });
  if (color !== null)
    line.append(made('i', '', { class: `key s${color}${dashed ? ' dashed' : ''}`, 'aria-hidden': 'true' }));
  line.append(made('span', name), ' ', made('strong', value));
  return line;
}
