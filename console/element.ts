/** Elements that must be in the page: where one is not, page and script do not fit, which is a bug. */
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
