/** The statistics of experiments, by numeric integration: slow, and computed in another way than lib/dsl/plan/statistics.ts. */

const Z = 1.959963984540054;

/** The 95 % interval of a rate. */
export function wilson(conversions: number, n: number): [number, number] {
  const rate = conversions / n;
  const centre = rate + (Z * Z) / (2 * n);
  const spread = Z * Math.sqrt((rate * (1 - rate)) / n + (Z * Z) / (4 * n * n));
  const scale = 1 + (Z * Z) / n;
  // Exact at the ends, where rounding would leave a tiny difference.
  return [conversions === 0 ? 0 : (centre - spread) / scale, conversions === n ? 1 : (centre + spread) / scale];
}

/** The 95 % interval of a mean, normal. */
export function aroundMean(mean: number, deviation: number, n: number): [number, number] {
  const spread = (Z * deviation) / Math.sqrt(n);
  return [mean - spread, mean + spread];
}

/** Two-sided, of a pooled two-proportion z-test; null if nobody or everybody converts. */
export function proportionsP(own: readonly [number, number], base: readonly [number, number]): number | null {
  const pooled = (own[0] + base[0]) / (own[1] + base[1]);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / own[1] + 1 / base[1]));
  if (!(error > 0)) return null;
  return 2 * tailMass(Math.abs((own[0] / own[1] - base[0] / base[1]) / error));
}

/** The mass of the normal distribution above z, by Simpson's rule in fine steps. */
function tailMass(z: number): number {
  const [steps, width] = [20_000, 20];
  const density = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  let sum = density(z) + density(z + width);
  for (let i = 1; i < steps; i++) sum += (i % 2 === 1 ? 4 : 2) * density(z + (i * width) / steps);
  return (sum * width) / steps / 3;
}

export interface Spread {
  readonly mean: number;
  readonly deviation: number;
  readonly n: number;
}

/** Two-sided, of Welch's t-test; null if neither varies. */
export function welchP(own: Spread, base: Spread): number | null {
  const [a, b] = [own, base].map(({ deviation, n }) => deviation ** 2 / n) as [number, number];
  if (!(a + b > 0)) return null;
  const degrees = 1 / ((a / (a + b)) ** 2 / (own.n - 1) + (b / (a + b)) ** 2 / (base.n - 1));
  return studentP((own.mean - base.mean) / Math.sqrt(a + b), degrees);
}

/**
 * P(|T| >= |t|). With t = root(degrees) tan(angle), the density of the angle is a power of its cosine, whose integral to a right
 * angle is over that of the whole.
 */
export function studentP(t: number, degrees: number): number {
  const rest = Math.atan2(Math.sqrt(degrees), Math.abs(t)); // from the angle to a right one
  return powerOfSine(rest, degrees - 1) / powerOfSine(Math.PI / 2, degrees - 1);
}

/** The integral of sin(x) ** power from 0 to an end, in steps that shrink doubly exponentially at both ends. */
function powerOfSine(end: number, power: number): number {
  let sum = 0;
  for (let step = -600; step <= 600; step++) {
    const u = (Math.PI / 2) * Math.sinh(step / 100);
    const x = end / (1 + Math.exp(-2 * u)); // precise near 0, where the power has its singularity
    const weight = Math.cosh(step / 100) / Math.cosh(u) ** 2;
    if (x > 0 && weight > 0) sum += Math.sin(x) ** power * weight;
  }
  return sum * (end / 2) * (Math.PI / 2) * 0.01;
}

/** Holm's step-down: the smallest of m times m, the next times m - 1, … and none below one before it. */
export function holmOf(tests: readonly (number | null)[]): (number | null)[] {
  const known = tests.filter((p) => p !== null).sort((a, b) => a - b);
  const steps = known.map((p, rank) => Math.min(1, p * (known.length - rank)));
  return tests.map((p) => (p === null ? null : Math.max(...steps.slice(0, known.lastIndexOf(p) + 1))));
}
