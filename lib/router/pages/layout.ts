/** What every page has: the document's head, the top bar, the footer. */
import type { Config } from '../../base/config/config.ts';
import type { Account } from '../../control/types.ts';
import { VERSION } from '../../base/version.ts';
import { bar } from './bar.ts';
import { type Html, html } from './html.ts';
import type { Theme } from './theme.ts';

export interface PageParts {
  /** For the browser's tab; the product's name is added. */
  readonly title: string;
  /** Who is logged in; null: nobody; `unknown`: the page does not check. */
  readonly account: Account | null | 'unknown';
  /** In the bar, where the page is: what leads to others of its kind. */
  readonly places?: Html | null;
  /** In the bar's menu of the account, what the account is here. */
  readonly role?: string | null;
  /** Goes between the bar and the content, in its own landmark. */
  readonly above?: Html | null;
  readonly main: Html;
  /** A word for the style sheet: `landing`, `login`, `console`, `docs`. */
  readonly kind: 'landing' | 'login' | 'console' | 'docs';
  readonly script?: PageScript;
  readonly host: HostSettings;
  readonly theme: Theme;
}

/** What pages say about the host. */
export type HostSettings = Pick<Config, 'operator' | 'operatorContact' | 'price'>;

/** A kind of page with a script and a style sheet of its own, which scripts/build-console.mjs makes. Left out: of its `kind`. */
export type PageScript = 'ask' | 'docs' | 'dashboards' | 'editor';

/** A whole document. */
export function page({ title, main, kind, script, host, theme, above = null, ...ofBar }: PageParts): Html {
  const files = `/public/console/${script ?? (kind === 'console' ? 'console' : 'site')}`;
  return html`<!doctype html>
    <html lang="en" ${theme !== 'system' && html` data-theme="${theme}"`}>
      <head>
        <meta charset="utf-8" />
        <title>${title} · Windlass</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content="Product analytics: send events over HTTP, query them with a pipe language." />
        <link rel="icon" href="/public/mark.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="${files}.css" />
        <script type="module" src="${files}.js"></script>
      </head>
      <body class="${kind}${(script === 'dashboards' || script === 'editor') && ' dashboards'}">
        <a class="skip" href="#main">Skip to content</a>
        ${bar({ ...ofBar, theme, isConsole: kind === 'console' })} ${above}
        <main id="main" tabindex="-1">${main}</main>
        <footer class="foot">
          <p>Windlass ${VERSION}. MIT license. No tracking. ${runBy(host)}</p>
          <nav aria-label="For programs"><a href="/llms.txt">llms.txt</a> <a href="/openapi.json">OpenAPI</a></nav>
        </footer>
        <p id="announcer" class="toast" role="status"></p>
      </body>
    </html> `;
}

function runBy({ operator, operatorContact: contact }: HostSettings): Html | null {
  const link = contact === null ? null : html`<a href="${contact.href}">${contact.text}</a>`;
  if (operator === null) return link === null ? null : html`Contact: ${link}.`;
  return link === null ? html`Run by ${operator}.` : html`Run by ${operator}, ${link}.`;
}
