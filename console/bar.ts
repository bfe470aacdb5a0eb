/** The bar of every page: its menus, and the choice of the theme. */
import { followMenus } from './menus.ts';
import { keepTheme } from './theme.ts';

followMenus();
for (const place of document.querySelectorAll('[data-with-script]')) place.classList.remove('with-script');
for (const button of document.querySelectorAll<HTMLElement>('[data-theme-choice]'))
  button.addEventListener('click', () => keepTheme(button.dataset['themeChoice'] ?? ''));

// On a phone the places stand in rows that scroll: the one where one is shall be in view.
for (const place of document.querySelectorAll('.side [aria-current="page"]')) {
  const row = place.closest('ul');
  if (row === null) continue;
  const [own, all] = [place.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollLeft += own.left - all.left - (all.width - own.width) / 2;
}
