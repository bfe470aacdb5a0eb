/** Pages are templates that escape whatever is put into them. Nothing else makes HTML. */

import { escapeHtml } from '../../base/text/escape-html.ts';

/** Markup that is safe to send. Only `html` makes it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a template accepts: text and numbers are escaped; null and false are nothing, so that `condition && …` works. */
export type Hole = string | number | Html | readonly Hole[] | null | false;

/** A template that escapes its holes for text and quoted attributes. A hole in an attribute must be quoted. */
export function html(parts: TemplateStringsArray, ...holes: readonly Hole[]): Html {
  let text = parts[0] ?? '';
  holes.forEach((hole, index) => {
    if (UNQUOTED.test(parts[index] ?? '')) throw new Error(`an attribute without quotes: ${parts[index]}`);
    text += render(hole) + (parts[index + 1] ?? '');
  });
  return new Html(text);
}

const UNQUOTED = /\s[\w-]+=$/;

function render(hole: Hole): string {
  if (hole instanceof Html) return hole.text;
  if (hole === null || hole === false) return '';
  if (typeof hole === 'number') return String(hole);
  if (typeof hole === 'string') return escapeHtml(hole);
  return hole.map(render).join('');
}

/** Text to copy verbatim, such as a command. `label` says what it is, for screen readers. `beside`: what else can be done with it. */
export function snippet(text: string, label: string, beside: Html | null = null): Html {
  return html`<div class="snippet">
    <pre tabindex="0" aria-label="${label}"><code>${text}</code></pre>
    <button type="button" class="copy" data-copy aria-label="Copy: ${label}" hidden>Copy</button>${beside}
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
