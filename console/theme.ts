/** Light or dark, as somebody chooses it: kept in a cookie, so that the server's pages have it from the start. */

const YEAR_S = 365 * 24 * 3600;

/** `light`, `dark`, or else as the device has it. */
export function keepTheme(theme: string): void {
  const isOwn = theme === 'light' || theme === 'dark';
  document.cookie = `windlass_theme=${isOwn ? theme : ''}; path=/; samesite=lax; max-age=${isOwn ? YEAR_S : 0}`;
  if (isOwn) document.documentElement.dataset['theme'] = theme;
  else delete document.documentElement.dataset['theme'];
  for (const button of document.querySelectorAll<HTMLElement>('[data-theme-choice]'))
    button.setAttribute('aria-pressed', String(button.dataset['themeChoice'] === (isOwn ? theme : 'system')));
}
