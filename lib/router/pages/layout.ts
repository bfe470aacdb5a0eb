/** What every page has: the document's head, the top bar, the footer. */
import type { Config } from '../../base/config/config.ts';
import type { Account } from '../../control/types.ts';
import { DASHBOARD_STYLES } from '../../dashboards/page/page-files.ts';
import { VERSION } from '../../base/version.ts';
import { type Html, html } from './html.ts';

export interface PageParts {
  /** For the browser's tab; the product's name is added. */
  readonly title: string;
  /** Who is logged in; null: nobody; `unknown`: the page does not check. */
  readonly account: Account | null | 'unknown';
  /** Goes between the bar and the content, in its own landmark. */
  readonly above?: Html | null;
  readonly main: Html;
  /** A word for the style sheet: `landing`, `login`, `console`. */
  readonly kind: 'landing' | 'login' | 'console';
  readonly script?: PageScript;
  readonly host: HostSettings;
}

/** What pages say about the host. */
export type HostSettings = Pick<Config, 'operator' | 'operatorContact' | 'price'>;

/** A script of one page only, built from console/. */
export type PageScript = 'ask' | 'overview' | 'dashboards';

/** Style sheets in the order in which they override one another. */
const STYLES = ['base', 'frame', 'landing', 'console', 'forms', 'figures', 'ask', 'screens'];

/** A whole document. */
export function page({ title, account, above = null, main, kind, script, host }: PageParts): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title} · Windlass</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content="Product analytics: send events over HTTP, query them with a pipe language." />
        <link rel="icon" href="/public/mark.svg" type="image/svg+xml" />
        ${[...STYLES, ...(script === 'dashboards' ? DASHBOARD_STYLES : [])].map((name) => html`<link rel="stylesheet" href="/public/styles/${name}.css" />`)}
        <script type="module" src="/public/console/main.js"></script>
        ${script !== undefined && html`<script type="module" src="/public/console/${script}.js"></script>`}
      </head>
      <body class="${kind}${script === 'dashboards' && ' dashboards'}">
        <a class="skip" href="#main">Skip to content</a>
        ${bar(account)} ${above}
        <main id="main" tabindex="-1">${main}</main>
        <footer class="foot">
          <p>Windlass ${VERSION}. MIT licence. No trackers, no third-party requests. ${runBy(host)}</p>
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

/** A windlass: a drum with rope on it, and its crank. */
const MARK = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
  <rect x="3" y="7" width="18" height="11" rx="2.5" />
  <path d="M8 7l-2 11M13 7l-2 11M18 7l-2 11M12 18v10M21 12.5h4v8h4" />
</svg>`;

function bar(account: PageParts['account']): Html {
  return html`<header class="bar">
    <a class="brand" href="/">${MARK}<span>Windlass</span></a>
    <nav aria-label="Site">${who(account)}</nav>
  </header>`;
}

function who(account: PageParts['account']): Html {
  if (account === 'unknown') return html`<a class="button quiet" href="/console">Console</a>`;
  return account === null ? html`<a class="button quiet" href="/login">Log in</a>` : signedIn(account);
}

function signedIn(account: Account): Html {
  return html`<a href="/console">Console</a>
    <a class="who" href="/console/sessions" title="Your account and sessions"
      >${account.email ?? account.name ?? account.id}</a
    >
    <form method="post" action="/auth/logout"><button class="quiet">Log out</button></form>`;
}
