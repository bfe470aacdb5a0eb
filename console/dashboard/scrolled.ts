/** A named region that scrolls, also by keyboard. */
import { made } from '../element.ts';

export function scrolled(label: string, look: string): HTMLElement {
  return made('div', '', { class: look, role: 'region', 'aria-label': label, tabindex: '0' });
}
