/**
 * Paints a visible card into a PNG: backgrounds, borders, texts and the shapes of its picture, with their computed styles. Loads
 * nothing, so that the page's security policy can stay strict.
 */

/** Pixels of the file per pixel of the page. */
const SCALE = 2;

/** No browser paints larger pictures. */
const MOST_PIXELS = 8_192;

interface Ground {
  readonly context: CanvasRenderingContext2D;
  /** Origin of the card, in pixels of the window. */
  readonly left: number;
  readonly top: number;
}

/** Resolves with the picture, without elements that have `data-not-painted`. */
export async function paintedCard(card: HTMLElement): Promise<Blob> {
  const { left, top, width, height } = card.getBoundingClientRect();
  const scale = Math.min(SCALE, MOST_PIXELS / Math.max(width, height, 1));
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(width * scale);
  canvas.height = Math.ceil(height * scale);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser cannot draw pictures.');
  context.scale(scale, scale);
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, Math.ceil(width), Math.ceil(height));
  paint(card, { context, left, top });
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error('The picture is too large.')) : resolve(blob)), 'image/png');
  });
} // prettier-ignore

function paint(element: Element, ground: Ground): void {
  const style = getComputedStyle(element);
  if (style.display === 'none' || style.visibility === 'hidden' || element.hasAttribute('data-not-painted')) return;
  const { context } = ground;
  context.save();
  context.globalAlpha *= Number(style.opacity);
  if (element instanceof SVGGeometryElement) paintShape(element, style, ground);
  else if (element instanceof SVGTextElement) paintSvgText(element, style, ground);
  else {
    if (element instanceof HTMLElement) paintBox(element, style, ground);
    for (const child of element.childNodes) {
      if (child instanceof Text) paintText(child, style, ground);
      else if (child instanceof Element) paint(child, ground);
    }
  }
  context.restore();
}

function paintBox(element: HTMLElement, style: CSSStyleDeclaration, { context, left, top }: Ground): void {
  const box = element.getBoundingClientRect();
  const [x, y] = [box.left - left, box.top - top];
  const radius = Math.min(Number.parseFloat(style.borderTopLeftRadius) || 0, box.height / 2, box.width / 2);
  context.beginPath();
  context.roundRect(x, y, box.width, box.height, radius);
  context.fillStyle = style.backgroundColor;
  context.fill();
  if (element instanceof HTMLProgressElement) {
    context.beginPath();
    context.roundRect(x, y, box.width * element.position, box.height, radius);
    context.fillStyle = style.accentColor;
    context.fill();
  }
  const sides = [style.borderTopWidth, style.borderBottomWidth].map(Number.parseFloat);
  const [above = 0, below = 0] = sides;
  context.beginPath();
  if (above > 0)
    context.roundRect(
      x + above / 2,
      y + above / 2,
      box.width - above,
      box.height - above,
      Math.max(0, radius - above / 2),
    );
  else if (below > 0) {
    context.moveTo(x, y + box.height - below / 2);
    context.lineTo(x + box.width, y + box.height - below / 2);
  }
  context.strokeStyle = above > 0 ? style.borderTopColor : style.borderBottomColor;
  context.lineWidth = above > 0 ? above : below;
  if (above > 0 || below > 0) context.stroke();
  if (style.overflowX === 'visible' && style.overflowY === 'visible') return;
  context.beginPath();
  context.rect(x, y, box.width, box.height);
  context.clip();
}

function paintShape(element: SVGGeometryElement, style: CSSStyleDeclaration, ground: Ground): void {
  const { context } = ground;
  place(element, ground);
  const path = pathOf(element);
  if (style.fill !== 'none') {
    context.globalAlpha *= Number(style.fillOpacity);
    context.fillStyle = style.fill;
    context.fill(path);
    context.globalAlpha /= Number(style.fillOpacity) || 1;
  }
  if (style.stroke === 'none') return;
  context.globalAlpha *= Number(style.strokeOpacity);
  context.strokeStyle = style.stroke;
  context.lineWidth = Number.parseFloat(style.strokeWidth);
  context.setLineDash(style.strokeDasharray === 'none' ? [] : style.strokeDasharray.split(/[\s,]+/).map(Number.parseFloat)); // prettier-ignore
  context.stroke(path);
}

function pathOf(element: SVGGeometryElement): Path2D {
  if (element instanceof SVGPathElement) return new Path2D(element.getAttribute('d') ?? '');
  const number = (name: string): number => Number(element.getAttribute(name) ?? 0);
  const path = new Path2D();
  if (element instanceof SVGRectElement)
    path.roundRect(number('x'), number('y'), number('width'), number('height'), number('rx')); // prettier-ignore
  else if (element instanceof SVGCircleElement) path.arc(number('cx'), number('cy'), number('r'), 0, 2 * Math.PI);
  else {
    path.moveTo(number('x1'), number('y1'));
    path.lineTo(number('x2'), number('y2'));
  }
  return path;
}

function paintSvgText(element: SVGTextElement, style: CSSStyleDeclaration, ground: Ground): void {
  const { context } = ground;
  place(element, ground);
  context.font = fontOf(style);
  context.fillStyle = style.fill;
  context.textAlign = style.textAnchor === 'middle' ? 'center' : style.textAnchor === 'end' ? 'end' : 'start';
  const own = [...element.childNodes].filter((node) => node instanceof Text).map((node) => node.data).join(''); // prettier-ignore
  context.fillText(own, Number(element.getAttribute('x') ?? 0), Number(element.getAttribute('y') ?? 0));
}

/** Transforms from the units of a picture to those of the card. */
function place(element: SVGGraphicsElement, { context, left, top }: Ground): void {
  const matrix = element.getScreenCTM();
  if (matrix === null) return;
  context.translate(-left, -top);
  context.transform(matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f);
}

/** Paints a text with the page's line breaks. */
function paintText(text: Text, style: CSSStyleDeclaration, { context, left, top }: Ground): void {
  if (text.data.trim() === '') return;
  context.font = fontOf(style);
  context.fillStyle = style.color;
  context.textBaseline = 'middle';
  const range = document.createRange();
  for (const { index, 0: word } of text.data.matchAll(/\S+/g)) {
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    const rectangles = [...range.getClientRects()];
    const [box] = rectangles;
    if (box === undefined) continue;
    if (rectangles.length === 1) context.fillText(word, box.left - left, box.top - top + box.height / 2);
    else paintBroken(text, { index, word }, { context, left, top });
  }
}

/** Paints a word that spans several lines, letter by letter. */
function paintBroken(text: Text, { index, word }: { index: number; word: string }, { context, left, top }: Ground): void {
  const range = document.createRange();
  for (let at = 0; at < word.length; at++) {
    range.setStart(text, index + at);
    range.setEnd(text, index + at + 1);
    const { left: x, top: y, height } = range.getBoundingClientRect();
    context.fillText(word[at] ?? '', x - left, y - top + height / 2);
  }
} // prettier-ignore

function fontOf({ fontStyle, fontWeight, fontSize, fontFamily }: CSSStyleDeclaration): string {
  return `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
}
