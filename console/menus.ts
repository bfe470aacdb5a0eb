/** Menus, `details[data-menu]`: open ones close when one is elsewhere, or by Escape; arrow keys go through what is in them. */

/** For all of the page; to be called once. */
export function followMenus(): void {
  for (const going of ['click', 'focusin']) {
    document.addEventListener(going, ({ target }) => {
      for (const menu of openMenus()) if (!(target instanceof Node && menu.contains(target))) menu.open = false;
    });
  }
  document.addEventListener('keydown', (event) => {
    const [menu] = openMenus();
    if (menu !== undefined) press(menu, event);
  });
}

function openMenus(): readonly HTMLDetailsElement[] {
  return [...document.querySelectorAll<HTMLDetailsElement>('details[data-menu][open]')];
}

function press(menu: HTMLDetailsElement, event: KeyboardEvent): void {
  if (event.key === 'Escape') {
    menu.open = false;
    menu.querySelector('summary')?.focus();
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || !menu.contains(document.activeElement)) return;
  event.preventDefault();
  move(menu, step);
}

/** Moves the focus to the next or previous item. */
function move(menu: HTMLElement, step: number): void {
  const items = [...menu.querySelectorAll<HTMLElement>('a, button')];
  const at = items.findIndex((item) => item === document.activeElement);
  const next = at < 0 && step < 0 ? items.length - 1 : (at + step + items.length) % items.length;
  items[next]?.focus();
}
