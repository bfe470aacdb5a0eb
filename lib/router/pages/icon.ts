import { ICON_LINES, type IconName } from '../../base/icons.ts';
import { type Html, html } from './html.ts';

/** A line icon. It says nothing to screen readers. */
export function icon(name: IconName): Html {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false"><path d="${ICON_LINES[name]}" /></svg>`; // prettier-ignore
}
