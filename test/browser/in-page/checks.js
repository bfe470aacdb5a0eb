// What must be true of every page for people who see it, hear it, or have no mouse. Runs inside the page.

const TEXT_CONTRAST = 4.5;
const LARGE_TEXT_CONTRAST = 3;
const CONTROL_CONTRAST = 3;
const TARGET_PX = 24;

/**
 * What is wrong with the page as shown, a sentence each.
 * @returns {string[]}
 */
export function faultsOfPage() {
  return [documentFaults, headingFaults, nameFaults, idFaults, tableFaults, sizeFaults, contrastFaults].flatMap(
    (check) => check(),
  );
}

/** @returns {string[]} */
function documentFaults() {
  const faults = [];
  if (document.documentElement.lang === '') faults.push('the document has no language');
  if (document.title === '') faults.push('the document has no title');
  for (const landmark of ['main', 'header', 'footer']) {
    const count = document.querySelectorAll(`body > ${landmark}`).length;
    if (count !== 1) faults.push(`${count} landmarks ${landmark}`);
  }
  for (const nav of document.querySelectorAll('nav:not([aria-label])')) faults.push(`nameless ${shown(nav)}`);
  const skip = document.querySelector('body > a:first-child');
  if (skip?.getAttribute('href') !== '#main') faults.push('the first link does not skip to the content');
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) faults.push(`the page is ${wide} px wider than the window`);
  return faults;
}

/** @returns {string[]} */
function headingFaults() {
  const levels = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].filter(isVisible).map((element) => ({
    level: Number(element.tagName.slice(1)),
    element,
  }));
  const faults = levels.filter(({ level }) => level === 1).length === 1 ? [] : ['there is not one h1'];
  levels.forEach(({ level, element }, index) => {
    const before = levels[index - 1]?.level ?? 0;
    if (level > before + 1) faults.push(`h${level} after h${before}: ${shown(element)}`);
  });
  return faults;
}

/** @returns {string[]} */
function nameFaults() {
  const faults = [];
  for (const element of document.querySelectorAll(
    'a, button, summary, input, select, textarea, [role="region"], [role="img"], form',
  )) {
    if (!isVisible(element) || element.getAttribute('type') === 'hidden') continue;
    if (element instanceof HTMLFormElement && !element.matches('.api')) continue;
    if (nameOf(element) === '') faults.push(`nameless ${shown(element)}`);
  }
  const told = '[role="img"], [aria-hidden="true"], [role="group"][aria-label]'; // with links in it, it is a group
  for (const picture of document.querySelectorAll(`svg:not(${told})`)) {
    faults.push(`a picture for nobody: ${shown(picture)}`);
  }
  for (const scrolled of document.querySelectorAll('.scroll, pre')) {
    if (scrolled.getAttribute('tabindex') !== '0') faults.push(`cannot be scrolled with keys: ${shown(scrolled)}`);
  }
  return faults;
}

/**
 * @param {Element} element
 * @returns {string}
 */
function nameOf(element) {
  const label = element.getAttribute('aria-label') ?? '';
  if (label.trim() !== '') return label;
  if (
    element instanceof HTMLInputElement ||
    element instanceof HTMLSelectElement ||
    element instanceof HTMLTextAreaElement
  ) {
    return [...(element.labels ?? [])]
      .map(({ textContent }) => textContent)
      .join(' ')
      .trim();
  }
  return (element.textContent ?? '').trim();
}

/** @returns {string[]} */
function idFaults() {
  const faults = [];
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  for (const id of new Set(ids.filter((name, index) => ids.indexOf(name) !== index)))
    faults.push(`two elements #${id}`);
  for (const attribute of ['aria-labelledby', 'aria-describedby', 'for', 'list']) {
    for (const element of document.querySelectorAll(`[${attribute}]`)) {
      for (const id of (element.getAttribute(attribute) ?? '').split(' ')) {
        if (document.getElementById(id) === null) faults.push(`${attribute} of nothing: ${shown(element)}`);
      }
    }
  }
  return faults;
}

/** @returns {string[]} */
function tableFaults() {
  return [...document.querySelectorAll('table')]
    .filter(
      (table) =>
        table.querySelector('thead th[scope="col"]') === null || table.querySelector('th:not([scope])') !== null,
    )
    .map((table) => `a table without scopes: ${shown(table)}`);
}

/** @returns {string[]} */
function sizeFaults() {
  return [...document.querySelectorAll('button, input, select, textarea, .button')]
    .filter((element) => isVisible(element) && element.getAttribute('type') !== 'checkbox')
    .filter((element) => {
      const { width, height } = element.getBoundingClientRect();
      return width < TARGET_PX || height < TARGET_PX;
    })
    .map((element) => `too small to hit: ${shown(element)}`);
}

/** @returns {string[]} */
function contrastFaults() {
  const faults = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (element === null || (node.textContent ?? '').trim() === '' || !isVisible(element) || isClipped(element))
      continue;
    const style = getComputedStyle(element);
    const ink = element instanceof SVGElement ? style.fill : style.color;
    if (colorOf(ink)[3] === 0 && element.closest('[aria-hidden="true"]') !== null) continue; // only there for its size
    const ratio = contrast(colorOf(ink), backgroundOf(element));
    if (ratio < (isLarge(style) ? LARGE_TEXT_CONTRAST : TEXT_CONTRAST))
      faults.add(`contrast ${ratio.toFixed(2)}: ${shown(element)}`);
  }
  for (const control of document.querySelectorAll(
    'input:not([type="hidden"]):not([type="checkbox"]), select, textarea',
  )) {
    if (!isVisible(control) || control.parentElement === null) continue;
    const ratio = contrast(colorOf(getComputedStyle(control).borderTopColor), backgroundOf(control.parentElement));
    if (ratio < CONTROL_CONTRAST) faults.add(`edge with contrast ${ratio.toFixed(2)}: ${shown(control)}`);
  }
  return [...faults];
}

/** @param {CSSStyleDeclaration} style */
function isLarge({ fontSize, fontWeight }) {
  const px = Number.parseFloat(fontSize);
  return px >= 24 || (px >= 18.66 && Number(fontWeight) >= 700);
}

/** @typedef {readonly [red: number, green: number, blue: number, alpha: number]} Color */

/**
 * @param {string} text
 * @returns {Color}
 */
function colorOf(text) {
  const [red = 0, green = 0, blue = 0, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue, alpha];
}

/**
 * The color behind an element: its own over those of its ancestors.
 * @param {Element} element
 * @returns {Color}
 */
function backgroundOf(element) {
  /** @type {Color[]} */
  const layers = [];
  for (let at = /** @type {Element | null} */ (element); at !== null; at = at.parentElement) {
    const layer = colorOf(getComputedStyle(at).backgroundColor);
    if (layer[3] > 0) layers.push(layer);
    if (layer[3] === 1) break;
  }
  return layers.reduceRight(over, [255, 255, 255, 1]);
}

/**
 * @param {Color} below
 * @param {Color} above
 * @returns {Color}
 */
function over(below, above) {
  const alpha = above[3];
  const mix = (/** @type {0 | 1 | 2} */ part) => above[part] * alpha + below[part] * (1 - alpha);
  return [mix(0), mix(1), mix(2), 1];
}

/**
 * The ratio of WCAG 2, 1 to 21.
 * @param {Color} one
 * @param {Color} other
 */
function contrast(one, other) {
  const [light = 0, dark = 0] = [luminance(over(other, one)), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** @param {Color} color */
function luminance([red, green, blue]) {
  const linear = (/** @type {number} */ value) =>
    value <= 10.31475 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** @param {Element} element */
function isVisible(element) {
  return element.checkVisibility({ visibilityProperty: true });
}

/**
 * Whether it is only for screen readers.
 * @param {Element} element
 */
function isClipped(element) {
  return element.closest('.unseen, .skip') !== null;
}

/** @param {Element} element */
function shown(element) {
  return `${element.outerHTML.slice(0, 100)} in ${location.pathname}`;
}
