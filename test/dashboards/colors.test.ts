import { readFileSync } from 'node:fs';
import { expect } from 'chai';

type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

/** What people see of linear sRGB, at full severity (Machado, Oliveira and Fernandes 2009). */
const EYES: Readonly<Record<string, Matrix>> = {
  'all cones': [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  'no red cones': [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  'no green cones': [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  'no blue cones': [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}; // prettier-ignore

/** Linear sRGB to cones, and the cube roots of those to OKLab (Ottosson 2020). */
const CONES: Matrix = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]]; // prettier-ignore
const OKLAB: Matrix = [[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099], [0.0259040371, 0.7827717662, -0.808675766]]; // prettier-ignore

/** Least distances in OKLab between any two of the first so many series. A distance of 0.02 is just seen side by side. */
const LEAST: readonly (readonly [series: number, distance: number])[] = [[4, 0.1], [8, 0.065]]; // prettier-ignore

const map = (each: (value: number) => number, [a, b, c]: Triple): Triple => [each(a), each(b), each(c)];
const times = ([a, b, c]: Matrix, [x, y, z]: Triple): Triple => {
  const row = ([p, q, r]: Triple): number => p * x + q * y + r * z;
  return [row(a), row(b), row(c)];
};

/** WCAG 2.2's contrast of two colours `#rrggbb`. */
function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [a, b].map((color) => times([[0.2126, 0.7152, 0.0722], [0, 0, 0], [0, 0, 0]], linear(color))[0]).toSorted((x, y) => y - x); // prettier-ignore
  return (high + 0.05) / (low + 0.05);
}

function linear(color: string): Triple {
  const bytes: Triple = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255) as [number, number, number]; // prettier-ignore
  return map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4), bytes);
}

/** The colour `#rrggbb` in OKLab, for such eyes. */
function seen(color: string, eyes: Matrix): Triple {
  const there = map((one) => Math.max(0, Math.min(1, one)), times(eyes, linear(color)));
  return times(OKLAB, map(Math.cbrt, times(CONES, there)));
}

describe('the colours of series', () => {
  const found = [...readFileSync('public/styles/dashboards.css', 'utf8').matchAll(/--s\d: light-dark\((#[\da-f]{6}), (#[\da-f]{6})\);/g)]; // prettier-ignore
  const [light, dark] = [1, 2].map((at) => found.map((pair) => pair[at] ?? ''));

  for (const [scheme, colors] of Object.entries({ light: light ?? [], dark: dark ?? [] })) {
    it(`stand out from a card in ${scheme}, each of them`, () => {
      const [, ...surface] = /--surface: light-dark\((#[\da-f]{6}), (#[\da-f]{6})\);/.exec(readFileSync('public/styles/base.css', 'utf8')) ?? []; // prettier-ignore
      const card = surface[scheme === 'light' ? 0 : 1] ?? '';
      for (const color of colors) expect(contrast(color, card), color).to.be.within(3, scheme === 'light' ? 21 : 11); // none shouts
    });

    for (const [name, eyes] of Object.entries(EYES)) {
      it(`are told apart in ${scheme} by eyes with ${name}`, () => {
        expect(colors).to.have.length(8);
        const all = colors.map((color) => seen(color, eyes));
        for (const [count, least] of LEAST) {
          const near = all.slice(0, count).flatMap((one, i) => all.slice(0, i).map((other, j) => ({ pair: `${j} and ${i}`, distance: Math.hypot(...one.map((value, axis) => value - (other[axis] ?? 0))) }))); // prettier-ignore
          const nearest = near.reduce((a, b) => (b.distance < a.distance ? b : a));
          expect(nearest.distance, `series ${nearest.pair} of ${count}`).to.be.at.least(least);
        }
      });
    }
  }
});
