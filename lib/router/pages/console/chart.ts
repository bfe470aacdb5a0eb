/** A bar chart by day: a drawing with axes, and the same numbers as a table for those who cannot see it. */
import { brief, day, grouped } from '../figures.ts';
import { type Html, html } from '../html.ts';
import { dataTable } from './data-table.ts';

export interface DayValue {
  readonly date: string; // YYYY-MM-DD
  readonly value: number;
}

interface Chart {
  readonly title: string;
  /** What the values count, plural. */
  readonly unit: string;
  readonly days: readonly DayValue[];
}

/** Lengths in units of the drawing, which are pixels at its natural size. */
interface Drawing {
  readonly size: 'large' | 'small';
  readonly width: number;
  readonly labelEvery: number;
}

const HEIGHT = 220;
const TOP = 14;
const BOTTOM = 30;
const LEFT = 52;
const RIGHT = 6;
const PLOT = HEIGHT - TOP - BOTTOM;
/** Text must not shrink with the screen: there is a drawing for wide and one for narrow screens, and one of them is shown. */
const DRAWINGS: readonly Drawing[] = [
  { size: 'large', width: 920, labelEvery: 2 },
  { size: 'small', width: 340, labelEvery: 7 },
];

export function chart({ title, unit, days }: Chart): Html {
  const total = days.reduce((sum, { value }) => sum + value, 0);
  const most = days.reduce((best, next) => (next.value > best.value ? next : best), { date: '', value: 0 });
  const words =
    most.value === 0
      ? `${title}: none.`
      : `${title}: ${grouped(total)} ${unit}, most on ${day(Date.parse(most.date))} with ${grouped(most.value)}.`;
  return html`<figure class="chart">
    <figcaption>${title}</figcaption>
    ${DRAWINGS.map((drawing) => draw(drawing, { words, unit, days, step: niceStep(most.value) }))}
    <details>
      <summary>Show as a table</summary>
      ${dataTable({
        label: `${title}, as a table`,
        columns: ['day (UTC)', { name: unit, look: 'number' }],
        rows: days.map(({ date, value }) => [day(Date.parse(date)), grouped(value)]),
      })}
    </details>
  </figure>`;
}

interface Content {
  readonly words: string;
  readonly unit: string;
  readonly days: readonly DayValue[];
  readonly step: number;
}

const LINES = 4;

/** The step of four lines that cover a value: 1, 2, 2.5 or 5 times a power of ten, at least 1. */
export function niceStep(most: number): number {
  const rough = Math.max(1, most / LINES);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((candidate) => candidate * power >= rough) ?? 10;
  return Math.ceil(factor * power);
}

function draw({ size, width, labelEvery }: Drawing, { words, unit, days, step }: Content): Html {
  const slot = (width - LEFT - RIGHT) / Math.max(1, days.length);
  const top = step * LINES;
  const y = (value: number): number => round(TOP + PLOT * (1 - value / top));
  return html`<svg class="${size}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${words}">
    ${Array.from({ length: LINES + 1 }, (_, index) => {
      const at = y(index * step);
      return html`<line
          class="${index === 0 ? 'axis' : 'grid'}"
          x1="${LEFT}"
          x2="${width - RIGHT}"
          y1="${at}"
          y2="${at}"
        /><text x="${LEFT - 8}" y="${at + 4}" text-anchor="end">${brief(index * step)}</text>`;
    })}
    ${days.map(({ date, value }, index) => {
      const x = LEFT + index * slot;
      const labelled = index % labelEvery === 0;
      const height = value === 0 ? 0 : Math.max(2, round((PLOT * value) / top));
      return html`<g
          ><title>${day(Date.parse(date))}: ${grouped(value)} ${unit}</title
          ><rect class="slot" x="${round(x)}" y="${TOP}" width="${round(slot)}" height="${PLOT}" /><rect
            class="value"
            x="${round(x + slot * 0.15)}"
            y="${round(TOP + PLOT - height)}"
            width="${round(slot * 0.7)}"
            height="${height}"
            rx="1.5" /></g
        >${
          labelled &&
          html`<text x="${round(x + slot / 2)}" y="${HEIGHT - 10}" text-anchor="middle">${Number(date.slice(8))}</text>`
        }`;
    })}
  </svg>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
