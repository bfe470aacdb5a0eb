/** The bar on top of every page: where one is, and what is one's own: theme and account. */
import type { Account } from '../../control/types.ts';
import { type Html, html } from './html.ts';
import { icon } from './icon.ts';
import type { IconName } from '../../base/icons.ts';
import { THEMES, type Theme } from './theme.ts';

interface Bar {
  /** Who is logged in; null: nobody; `unknown`: the page does not check. */
  readonly account: Account | null | 'unknown';
  readonly places?: Html | null;
  /** What the account is here. */
  readonly role?: string | null;
  readonly theme: Theme;
  readonly isConsole: boolean;
}

/** A windlass: a drum with rope on it, and its crank. */
const MARK = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
  <rect x="3" y="7" width="18" height="11" rx="2.5" />
  <path d="M8 7l-2 11M13 7l-2 11M18 7l-2 11M12 18v10M21 12.5h4v8h4" />
</svg>`;

export function bar({ account, places = null, role = null, theme, isConsole }: Bar): Html {
  return html`<header class="bar">
    <a class="brand" href="${isConsole ? '/console' : '/'}"
      >${MARK}<span ${places !== null && html` class="unseen"`}>Windlass</span></a
    >
    ${places}
    <nav class="site" aria-label="Site">
      <a class="button quiet" href="/docs/">${icon('docs')}<span>Docs</span></a>
      ${!isConsole && who(account)} ${themeMenu(theme)}
      ${account !== null && account !== 'unknown' && accountMenu(account, role, isConsole)}
    </nav>
  </header>`;
}

function who(account: Bar['account']): Html | null {
  return account === null
    ? html`<a class="button quiet" href="/login">Log in</a>`
    : html`<a class="button quiet" href="/console">Console</a>`;
}

/** Something that unfolds below a button. It needs no script; console/menus.ts closes it when one is elsewhere. */
export function menu({ label, button, content }: { label: string; button: Html; content: Html }): Html {
  return html`<details class="menu" data-menu name="bar">
    <summary aria-label="${label}" title="${label}">${button}</summary>
    <div class="menu-items">${content}</div>
  </details>`;
}

const THEME_WORDS: Readonly<Record<Theme, string>> = { light: 'Light', dark: 'Dark', system: 'System' };

/** Chosen by console/theme.ts, so it is not there without scripts. */
function themeMenu(chosen: Theme): Html {
  const choice = (theme: Theme): Html =>
    html`<button type="button" class="quiet" data-theme-choice="${theme}" aria-pressed="${String(theme === chosen)}">
      ${icon(theme)}${THEME_WORDS[theme]}
    </button>`;
  return html`<div class="with-script" data-with-script>
    ${menu({
      label: 'Theme',
      button: html`${THEMES.map((theme) => html`<span data-theme-icon="${theme}">${icon(theme)}</span>`)}`,
      content: html`<div role="group" aria-label="Theme">${THEMES.map(choice)}</div>`,
    })}
  </div>`;
}

function accountMenu(account: Account, role: string | null, isConsole: boolean): Html {
  const name = account.email ?? account.name ?? account.id;
  return menu({
    label: 'Account',
    button: icon('account'),
    content: html`<p class="who">${name}${role !== null && html` <span class="badge">${role}</span>`}</p>
      ${item('/console/sessions', 'account', 'Your sessions')} ${item('/console', 'projects', 'Organizations')}
      ${
        isConsole &&
        html`<button type="button" class="quiet" data-shortcuts hidden>${icon('keyboard')}Keyboard shortcuts</button>`
      }
      <form method="post" action="/auth/logout"><button class="quiet">${icon('logout')}Log out</button></form>`,
  });
}

function item(href: string, name: IconName, text: string): Html {
  return html`<a href="${href}">${icon(name)}${text}</a>`;
}
