/** Elements of SVG pictures. Styles come from classes, so a picture follows the page's colours without being redrawn. */

import { ICON_LINES, type IconName } from '../../lib/base/icons.ts';

const NAMESPACE = 'http://www.w3.org/2000/svg';

type Attributes = Readonly<Record<string, string | number>>;

/** An element with a text, which is never markup. */
export function shape<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  text = '',
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, typeof value === 'number' ? String(Math.round(value * 100) / 100) : value);
  }
  if (text !== '') element.textContent = text;
  return element;
}

/** A picture in units of pixels. Hidden from screen readers, as text beside it describes it. */
export function picture(width: number, height: number): SVGSVGElement {
  return shape('svg', { width, height, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true', focusable: 'false' });
}

/** A line icon, in the color of the text beside it. */
export function iconShape(name: IconName): SVGSVGElement {
  const icon = shape('svg', { class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true', focusable: 'false' });
  icon.append(shape('path', { d: ICON_LINES[name] }));
  return icon;
}

/** Approximate width of an axis label in pixels: good enough to keep labels apart. */
export function textWidth(text: string): number {
  return text.length * 6.6;
}

/** A text shortened to a width, between characters as readers see them: half an emoji is a box. */
export function fitted(text: string, width: number): string {
  const most = Math.floor(width / 6.6);
  if (text.length <= most) return text;
  if (most < 3) return '';
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (kept.length + segment.length > most - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
