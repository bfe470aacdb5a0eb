/** Whether the variants of a choice were assigned evenly: Pearson's chi-squared test against equal shares. */

/** The probability that chance makes shares at least this uneven; null with fewer than two variants or nobody. */
export function sampleRatioP(users: readonly number[]): number | null {
  const total = users.reduce((sum, n) => sum + n, 0);
  if (users.length < 2 || total === 0) return null;
  const expected = total / users.length;
  const statistic = users.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
  return chiSquaredTail(statistic, users.length - 1);
}

/** P(X >= x) of the chi-squared distribution: the regularised upper incomplete gamma function at (degrees / 2, x / 2). */
export function chiSquaredTail(x: number, degrees: number): number {
  const [a, t] = [degrees / 2, x / 2];
  if (t <= 0) return 1;
  const scale = Math.exp(a * Math.log(t) - t - logGamma(a));
  return t < a + 1 ? 1 - scale * lowerSeries(a, t) : scale * upperFraction(a, t);
}

const ROUNDS = 1_000;
const PRECISION = 1e-15;

/** A series that converges fast below a + 1. */
function lowerSeries(a: number, t: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = 1; n < ROUNDS && term > sum * PRECISION; n++) {
    term *= t / (a + n);
    sum += term;
  }
  return sum;
}

/** A continued fraction that converges fast above a + 1, evaluated forwards (Lentz). */
function upperFraction(a: number, t: number): number {
  let b = t + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let value = d;
  for (let n = 1; n < ROUNDS; n++) {
    const factor = n * (a - n);
    b += 2;
    d = 1 / (b + factor * d);
    c = b + factor / c;
    value *= c * d;
    if (Math.abs(c * d - 1) < PRECISION) break;
  }
  return value;
}

/** For half and whole numbers: goes down to 1/2 or 1 by Γ(a) = (a - 1) Γ(a - 1). */
function logGamma(a: number): number {
  let sum = 0;
  let rest = a;
  while (rest > 1) {
    rest -= 1;
    sum += Math.log(rest);
  }
  return rest === 1 ? sum : sum + Math.log(Math.PI) / 2;
}
