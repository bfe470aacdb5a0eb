/** What the pages of the console share: the bar's switchers, the tabs and the dashboards at the side, the heading. */
import type { Account } from '../../../control/types.ts';
import { type Html, html } from '../html.ts';
import { icon } from '../icon.ts';
import type { IconName } from '../../../base/icons.ts';
import { page, type HostSettings, type PageParts } from '../layout.ts';
import { themeOf } from '../theme.ts';
import type { Request } from '../../http/request.ts';

interface Link {
  readonly href: string;
  readonly text: string;
}

interface Tab extends Link {
  readonly icon: IconName;
  /** The letter that leads there after `g`. */
  readonly key: string;
}

interface ConsolePage extends Pick<PageParts, 'title' | 'main' | 'script' | 'places' | 'role'> {
  readonly visit: { readonly account: Account; readonly host: HostSettings; readonly request: Request };
  readonly tabs?: { readonly label: string; readonly current: string; readonly links: readonly Tab[] };
  /** Below the tabs, where there is room at the side. */
  readonly dashboards?: { readonly current: string | null; readonly links: readonly Link[] };
}

export function consolePage({ visit, title, tabs, dashboards, main, ...parts }: ConsolePage): Html {
  const tab = tabs?.links.find(({ href }) => href === tabs.current);
  return page({
    ...parts,
    title: tab === undefined ? title : `${tab.text} · ${title}`,
    account: visit.account,
    host: visit.host,
    theme: themeOf(visit.request),
    kind: 'console',
    above: tabs === undefined ? null : side(tabs, dashboards),
    main: html`<h1 data-region="name" ${tabs !== undefined && html` class="unseen"`}>${title}</h1>
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
            <button type="button" data-cancel>Cancel</button>
            <button id="confirm-yes" class="danger" value="yes">Continue</button>
          </div>
        </form>
      </dialog>`,
  });
}

function side(tabs: NonNullable<ConsolePage['tabs']>, dashboards: ConsolePage['dashboards']): Html {
  return html`<div class="side">
    <nav class="tabs" aria-label="${tabs.label}">
      <ul>
        ${tabs.links.map(
          ({ href, text, icon: name, key }) =>
            html`<li>
              <a href="${href}" data-key="${key}" ${href === tabs.current && html` aria-current="page"`}
                >${icon(name)}${text}</a
              >
            </li>`,
        )}
      </ul>
    </nav>
    ${
      dashboards !== undefined &&
      dashboards.links.length > 0 &&
      html`<nav class="dash-list" aria-label="Dashboards">
        <p aria-hidden="true">Dashboards</p>
        <ul>
          ${dashboards.links.map(
            ({ href, text }) =>
              html`<li>
                <a href="${href}" ${href === dashboards.current && html` aria-current="page"`}>${text}</a>
              </li>`,
          )}
        </ul>
      </nav>`
    }
  </div>`;
}

/** Shown where there is nothing yet: what it would be, and what to do. */
export function emptyState(heading: string, text: string): Html {
  return html`<div class="empty">
    <p class="empty-heading">${heading}</p>
    <p>${text}</p>
  </div>`;
}
