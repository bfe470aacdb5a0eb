/** People's paths as streams between steps. */
import type { SankeyLink, SankeyNode } from 'd3-sankey';
import { sankey, sankeyLinkHorizontal } from 'd3-sankey';
import type { Envelope } from '../../lib/dashboards/data.ts';
import { pathOf } from '../cell-part.ts';
import type { AddressOf } from './card-link.ts';
import { groupText, numberOf } from './chart-data.ts';
import type { Size } from './plot.ts';
import { fitted, picture, shape, textWidth } from './svg.ts';
import { numberText } from './values.ts';

/** An event at a position in the paths. */
interface Step {
  readonly key: string;
  readonly name: string;
  /** Number of steps before it. */
  readonly place: number;
  readonly users: number;
  /** People whose paths end here, although others go further. */
  readonly left: number;
  /** The paths through it, as texts; those that end here. */
  readonly paths: readonly string[];
  readonly ends: readonly string[];
}

interface Stream {
  readonly from: string;
  readonly to: string;
}

export interface Streams {
  readonly steps: readonly Step[];
  readonly streams: readonly (Stream & {
    readonly source: string;
    readonly target: string;
    readonly value: number;
  })[];
}

interface Path {
  readonly text: string;
  readonly labels: readonly (string | null)[];
  readonly users: number;
}

const NODE_WIDTH_PX = 10;
const MOST_PER_PLACE = 8;
const MOST_MARGIN_PX = 150;
const REST = '(other)';
const COLORS = 8;

/** Whether anybody has more than one step. */
export const hasStreams = (answer: Envelope): boolean =>
  alignedPaths(answer).some(({ labels }) => labels.filter((label) => label !== null).length > 1);

/** How many went from which event to which, step by step. Paths with the same last event are aligned at their ends. */
export function streamsOf(answer: Envelope): Streams {
  const paths = alignedPaths(answer);
  const kept = strongest(paths);
  const last = Math.max(0, ...paths.map(({ labels }) => labels.length)) - 1;
  const steps = new Map<string, Step>();
  const streams = new Map<string, Streams['streams'][number]>();
  for (const { labels, users, text } of paths) {
    const path = labels.map((label, place) => (label === null ? null : stepAt(label, place, kept)));
    path.forEach((to, index) => {
      if (to === null) return;
      const known = steps.get(to.key) ?? { ...to, users: 0, left: 0, paths: [], ends: [] };
      const isEnd = index === path.length - 1 && index < last; // at the last place paths may have been cut
      steps.set(to.key, {
        ...known,
        users: known.users + users,
        left: known.left + (isEnd ? users : 0),
        paths: [...known.paths, text],
        ends: isEnd ? [...known.ends, text] : known.ends,
      });
      const from = path[index - 1] ?? null;
      if (from === null || users === 0) return;
      const key = `${from.key} ${to.key}`;
      const value = (streams.get(key)?.value ?? 0) + users;
      streams.set(key, { source: from.key, target: to.key, value, from: from.name, to: to.name });
    });
  }
  return { steps: [...steps.values()], streams: [...streams.values()] };
}

/** What a picture of paths does on the page. */
interface Acting {
  /** Sets the tooltip of an element. */
  readonly tell: (element: Element, text: string) => void;
  readonly addressOf: AddressOf;
}

export function pathChart({ steps, streams }: Streams, size: Size, acting: Acting): SVGSVGElement {
  const svg = picture(size.width, size.height);
  svg.removeAttribute('aria-hidden'); // it has links
  const margin = Math.min(MOST_MARGIN_PX, size.width / 5); // for the names of the last step
  const { nodes, links } = sankey<Step, Stream>()
    .nodeId(({ key }) => key)
    .nodeWidth(NODE_WIDTH_PX)
    .nodePadding(14)
    .nodeAlign((node) => node.place)
    .extent([[1, 8], [size.width - margin, size.height - 8]])({
      nodes: steps.map((step) => ({ ...step, fixedValue: step.users })),
      links: streams.map((stream) => ({ ...stream })),
    }); // prettier-ignore
  const names = [...new Set(nodes.map(({ name }) => name))];
  const draw = sankeyLinkHorizontal<Step, Stream>();
  const places = Math.max(1, ...nodes.map(({ place }) => place)) + 1;
  for (const link of links) svg.append(streamShape(link, draw(link) ?? '', { names, ...acting }));
  const step = (size.width - margin - NODE_WIDTH_PX) / Math.max(1, places - 1);
  for (const node of nodes) {
    const room = node.place === places - 1 ? margin : step;
    svg.append(...stepShapes(node, { names, ...acting, room: room - NODE_WIDTH_PX - 8 }));
  }
  return svg;
}

interface Look extends Acting {
  /** A name has the same colour at every step. */
  readonly names: readonly string[];
}

function streamShape(link: SankeyLink<Step, Stream>, d: string, { names, tell }: Look): SVGPathElement {
  const color = names.indexOf(link.from) % COLORS;
  const stream = shape('path', { class: `stream s${color}`, d, 'stroke-width': Math.max(1, link.width ?? 1) });
  tell(stream, `${link.from} → ${link.to}: ${numberText(link.value, { kind: 'integer', currency: null })}`);
  return stream;
}

/** Where people stop, a wedge behind the part of the event that no stream leaves. */
const WEDGE_PX = 22;
const LINE_PX = 16;

function stepShapes(node: SankeyNode<Step, Stream>, { names, tell, addressOf, room }: Look & { readonly room: number }): readonly SVGElement[] {
  const { name, place, users, left, x0 = 0, x1 = 0, y0 = 0, y1 = 0 } = node;
  const color = `s${names.indexOf(name) % COLORS}`;
  const bar = shape('rect', { class: `step ${color}`, x: x0, y: y0, width: x1 - x0, height: Math.max(1, y1 - y0), rx: 2 });
  const told = `${name}: ${integer(users)}`;
  const label = shape('text', { class: 'step-name', x: x1 + 6, y: (y0 + y1) / 2 + 4 }, `${fitted(name, room - textWidth(` ${integer(users)} `))} ${integer(users)}`.trim());
  tell(bar, told);
  const shapes: SVGElement[] = [];
  if (left > 0) {
    const top = y1 - ((y1 - y0) * left) / users;
    const wedge = shape('path', { class: `left ${color}`, d: `M${x1},${top}L${x1 + WEDGE_PX},${(top + y1) / 2}L${x1},${y1}Z` });
    const text = `${name}: ${integer(left)} left`;
    tell(wedge, text);
    const middle = (top + y1) / 2 + 4;
    const below = Math.max(middle, (y0 + y1) / 2 + 4 + LINE_PX); // the name stands there
    const count = y1 - y0 < 2 * LINE_PX ? [] : [shape('text', { class: 'step-name', x: x1 + WEDGE_PX + 4, y: Math.min(below, y1) }, `${integer(left)} left`)];
    shapes.push(linkedShape([wedge, ...count], addressOf({ paths: node.ends }), `${text}, at step ${place + 1}`));
  }
  return [...shapes, linkedShape([bar, label], addressOf({ paths: node.paths }), `${told}, at step ${place + 1}`)];
} // prettier-ignore

const integer = (value: number): string => numberText(value, { kind: 'integer', currency: null });

/** The shapes, in a link if there is an address. */
function linkedShape(shapes: readonly SVGElement[], href: string | null, label: string): SVGElement {
  const group = href === null ? shape('g', { role: 'img', 'aria-label': label }) : shape('a', { href, 'aria-label': label });
  group.append(...shapes);
  return group;
} // prettier-ignore

function alignedPaths({ rows, column_types: columns }: Envelope): readonly Path[] {
  const path = columns.find(({ name, type }) => name === 'path' || type === 'json')?.name ?? 'path';
  const users = (columns.find(({ name }) => name === 'users') ?? columns.find(({ type }) => type === 'number'))?.name ?? 'users'; // prettier-ignore
  const paths = rows.map((row) => {
    const labels: unknown = row[path];
    return { text: pathOf(labels), labels: Array.isArray(labels) ? labels.map(groupText) : [groupText(labels)], users: numberOf(row[users]) ?? 0 };
  });
  const longest = Math.max(0, ...paths.map(({ labels }) => labels.length));
  const different = (ends: readonly (string | undefined)[]): boolean => new Set(ends).size > 1;
  const atEnd = different(paths.map(({ labels }) => labels[0])) && !different(paths.map(({ labels }) => labels.at(-1)));
  return paths.map(({ text, labels, users: count }) => {
    const pad = new Array<null>(atEnd ? longest - labels.length : 0).fill(null);
    return { text, labels: [...pad, ...labels], users: count };
  });
} // prettier-ignore

/** The names shown at each step; others are combined. */
function strongest(paths: readonly Path[]): readonly ReadonlySet<string>[] {
  const places: Map<string, number>[] = [];
  for (const { labels, users } of paths) {
    labels.forEach((label, place) => {
      const counts = (places[place] ??= new Map<string, number>());
      if (label !== null) counts.set(label, (counts.get(label) ?? 0) + users);
    });
  }
  return places.map((counts) => {
    const sorted = [...counts].sort(([, a], [, b]) => b - a);
    return new Set(sorted.slice(0, MOST_PER_PLACE).map(([name]) => name));
  });
}

function stepAt(
  label: string,
  place: number,
  kept: readonly ReadonlySet<string>[],
): Pick<Step, 'key' | 'name' | 'place'> {
  const name = kept[place]?.has(label) === true ? label : REST;
  return { key: JSON.stringify([place, name]), name, place };
}
