/** Shows what is under the pointer, or at the place selected by arrow keys. One per card. */
import { made } from '../element.ts';

/** A line of a tooltip: the colour of a series, its name, its value. */
export interface TooltipLine {
  /** Number of the colour; null: none. */
  readonly color: number | null;
  readonly name: string;
  readonly value: string;
}

const GAP_PX = 14;

export class Tooltip {
  readonly element: HTMLElement;
  readonly #place: HTMLElement;

  /** `place` is its container, which must be positioned. */
  constructor(place: HTMLElement) {
    this.#place = place;
    this.element = made('div', '', { class: 'tip', role: 'status' }); // empty and never hidden: a status is read when it changes
    place.append(this.element);
  }

  /** `at`: in pixels of its container. */
  show(title: string, lines: readonly TooltipLine[], at: { readonly x: number; readonly y: number }): void {
    this.element.replaceChildren(made('p', title, { class: 'tip-title' }), ...lines.map(lineOf));
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const room = this.#place.clientWidth;
    const right = at.x + GAP_PX + width <= room;
    const left = right ? at.x + GAP_PX : Math.max(0, Math.min(at.x - GAP_PX - width, room - width));
    this.element.style.left = `${left}px`;
    this.element.style.top = `${Math.max(0, Math.min(at.y, this.#place.clientHeight - height))}px`;
  }

  hide(): void {
    this.element.replaceChildren();
  }

  /** Shows a text while the pointer is over an element of a picture. */
  readonly tell = (element: Element, text: string): void => {
    element.setAttribute('data-tip', text);
    element.addEventListener('pointermove', (event) => {
      if (!(event instanceof PointerEvent)) return;
      const { left, top } = this.#place.getBoundingClientRect();
      this.show(text, [], { x: event.clientX - left, y: event.clientY - top });
    });
    element.addEventListener('pointerleave', () => this.hide());
  };
}

function lineOf({ color, name, value }: TooltipLine): HTMLElement {
  const line = made('p', '', { class: 'tip-line' });
  if (color !== null) line.append(made('i', '', { class: `key s${color}`, 'aria-hidden': 'true' }));
  line.append(made('span', name), ' ', made('strong', value));
  return line;
}
