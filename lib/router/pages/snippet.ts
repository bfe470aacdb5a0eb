import { type Html, html } from './html.ts';

/** Text to copy verbatim, such as a command. `label` says what it is, for screen readers. */
export function snippet(text: string, label: string): Html {
  return html`<div class="snippet">
    <pre tabindex="0" aria-label="${label}"><code>${text}</code></pre>
    <button type="button" class="copy" data-copy aria-label="Copy: ${label}" hidden>Copy</button>
  </div>`;
}
