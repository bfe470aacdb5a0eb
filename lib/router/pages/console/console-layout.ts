/** What the pages of the console share: breadcrumbs, heading, tabs. */
import type { Account } from '../../../control/types.ts';
import { type Html, html } from '../html.ts';
import { page, type HostSettings, type PageParts } from '../layout.ts';

interface Link {
  readonly href: string;
  readonly text: string;
}

interface ConsolePage extends Pick<PageParts, 'title' | 'main' | 'script'> {
  readonly visit: { readonly account: Account; readonly host: HostSettings };
  /** From the console down to the parent of this page. */
  readonly crumbs: readonly Link[];
  /** Next to the heading: a role, an id. */
  readonly aside?: Html | null;
  readonly tabs?: { readonly label: string; readonly current: string; readonly links: readonly Link[] };
}

export function consolePage({ visit, title, crumbs, aside = null, tabs, main, script }: ConsolePage): Html {
  const tab = tabs?.links.find(({ href }) => href === tabs.current);
  return page({
    title: tab === undefined ? title : `${tab.text} · ${title}`,
    account: visit.account,
    host: visit.host,
    kind: 'console',
    ...(script === undefined ? {} : { script }),
    above: crumbs.length > 0 ? trail(crumbs) : null,
    main: html`<div class="title">
        <h1>${title}</h1>
        ${aside}
      </div>
      ${tabs !== undefined && tabList(tabs)}
      <noscript
        ><p class="notice">
          Forms on this page need JavaScript. You can do the same with <code>wl</code> or the API.
        </p></noscript
      >
      ${main}
      <dialog id="confirm" aria-labelledby="confirm-question">
        <form method="dialog">
          <p id="confirm-question"></p>
          <div class="field" id="confirm-typing" hidden>
            <label for="confirm-number">Type the number to confirm</label>
            <input id="confirm-number" inputmode="numeric" autocomplete="off" required disabled />
          </div>
          <div class="submit">
            <button type="button" data-cancel>Cancel</button> <button class="danger" value="yes">Continue</button>
          </div>
        </form>
      </dialog>`,
  });
}

function trail(crumbs: readonly Link[]): Html {
  return html`<nav class="crumbs" aria-label="Breadcrumbs">
    <ol>
      ${crumbs.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}
    </ol>
  </nav>`;
}

function tabList({ label, current, links }: NonNullable<ConsolePage['tabs']>): Html {
  return html`<nav class="tabs" aria-label="${label}">
    <ul>
      ${links.map(
        ({ href, text }) =>
          html`<li><a href="${href}" ${href === current && html` aria-current="page"`}>${text}</a></li>`,
      )}
    </ul>
  </nav>`;
}

/** Shown where there is nothing yet: what it would be, and what to do. */
export function emptyState(heading: string, text: string): Html {
  return html`<div class="empty">
    <p class="empty-heading">${heading}</p>
    <p>${text}</p>
  </div>`;
}
