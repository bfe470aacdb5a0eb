import { type Html, html } from './html.ts';

/** Text to be copied as it stands, a command for example. `label` says what it is, for those who do not see it. */
export function snippet(text: string, label: string): Html {
  return html`<div class="snippet">
    <pre tabindex="0" aria-label="${label}"><code>${text}</code></pre>
    <button type="button" class="copy" data-copy aria-label="Copy: ${label}" hidden>Copy</button>
  </div>`;
}
