/** Finds an element that must be in the page; a missing one is a bug, as page and script do not match. */
export function find<T extends Element>(place: ParentNode, selector: string, kind: new () => T): T {
  const found = place.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`the page has no ${selector}`);
}

/** A new element with a text, which is never markup. */
export function made<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  text = '',
  attributes: Readonly<Record<string, string>> = {},
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
