import { type Html, html } from './html.ts';

/** Text to copy verbatim, such as a command. `label` says what it is, for screen readers. */
export function snippet(text: string, label: string): Html {
  return html`<div class="snippet">
    <pre tabindex="0" aria-label="${label}"><code>${text}</code></pre>
    <button type="button" class="copy" data-copy aria-label="Copy: ${label}" hidden>Copy</button>
  </div>`;
}

/** A place for a secret that only one answer has: hidden until public/console/forms.js fills in the answer's `field`. */
export function shownOnce(id: string, field: string, label: string): Html {
  return html`<div id="${id}" class="once" tabindex="-1" role="group" aria-label="${label}" hidden>
    <p><strong>${label}.</strong> Copy it now: it is not shown again.</p>
    <div class="snippet">
      <pre tabindex="0" aria-label="${label}"><code data-field="${field}"></code></pre>
      <button type="button" class="copy" data-copy aria-label="Copy: ${label}" hidden>Copy</button>
    </div>
  </div>`;
}
