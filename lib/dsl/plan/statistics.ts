/** The statistics of experiments: tests, intervals, and how many more persons a decision takes. Knows numbers only. */

/** How many of a variant's persons convert. */
export interface Rate {
  readonly users: number;
  readonly conversions: number;
}

/** A number of each person. `variance`: of the sample (n - 1); null of fewer than two persons, or beyond the range of floats. */
export interface Sample {
  readonly count: number;
  readonly mean: number;
  readonly variance: number | null;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The normal deviate of a 95 % interval, and the one that 80 % lie below. */
const Z = 1.959963984540054;
const Z_POWER = 0.8416212335729143;
/** A test decides below this. */
export const SIGNIFICANT = 0.05;

/** Whether variants were handed out evenly (Pearson's chi-squared test): the chance of shares at least this uneven; null with fewer than two variants or nobody. */
export function sampleRatioP(users: readonly number[]): number | null {
  const total = users.reduce((sum, n) => sum + n, 0);
  if (users.length < 2 || total === 0) return null;
  const expected = total / users.length;
  const statistic = users.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
  return chiSquaredTail(statistic, users.length - 1);
}

/** Wilson's score interval of a rate, 95 %. Begins at exactly 0 if nobody converts, and ends at exactly 1 if everybody does. */
export function wilsonInterval({ users, conversions }: Rate): Interval {
  const rate = conversions / users;
  const scale = 1 + Z ** 2 / users;
  const centre = (rate + Z ** 2 / (2 * users)) / scale;
  const spread = (Z * Math.sqrt((rate * (1 - rate)) / users + Z ** 2 / (4 * users ** 2))) / scale;
  return { low: conversions === 0 ? 0 : centre - spread, high: conversions === users ? 1 : centre + spread };
}

/** The 95 % interval of the difference of two rates, own - other, made of their Wilson intervals (Newcombe 1998, method 10). */
export function rateDifferenceInterval(own: Rate, other: Rate): Interval {
  const [p, q] = [own.conversions / own.users, other.conversions / other.users];
  const [ofOwn, ofOther] = [wilsonInterval(own), wilsonInterval(other)];
  return {
    low: p - q - Math.hypot(p - ofOwn.low, ofOther.high - q),
    high: p - q + Math.hypot(ofOwn.high - p, q - ofOther.low),
  };
}

/** Two-sided p-value of the two-proportion z-test with a pooled rate; null if nobody or everybody converts. */
export function twoProportionP(own: Rate, other: Rate): number | null {
  const pooled = (own.conversions + other.conversions) / (own.users + other.users);
  const variance = pooled * (1 - pooled) * (1 / own.users + 1 / other.users);
  if (!(variance > 0)) return null;
  const difference = own.conversions / own.users - other.conversions / other.users;
  // The square of a normal deviate is chi-squared with one degree of freedom.
  return chiSquaredTail(difference ** 2 / variance, 1);
}

/** The normal 95 % interval of a mean; null without a variance. */
export function meanInterval({ count, mean, variance }: Sample): Interval | null {
  if (variance === null) return null;
  const spread = Z * Math.sqrt(variance / count);
  return { low: mean - spread, high: mean + spread };
}

/** Welch's t-test of two means. */
export interface Welch {
  readonly difference: number;
  /** Its standard error. */
  readonly error: number;
  /** Of freedom (Welch and Satterthwaite). */
  readonly degrees: number;
  /** Two-sided. */
  readonly p: number;
}

/** null where a sample has fewer than two persons, where neither varies, and beyond the range of floats. */
export function welch(own: Sample, other: Sample): Welch | null {
  if (own.variance === null || other.variance === null) return null;
  const [a, b] = [own.variance / own.count, other.variance / other.count];
  const [difference, error] = [own.mean - other.mean, Math.sqrt(a + b)];
  if (!(error > 0) || !Number.isFinite(error) || !Number.isFinite(difference)) return null;
  const [share, rest] = [a / (a + b), b / (a + b)]; // whose squares neither overflow nor vanish
  const degrees = 1 / (share ** 2 / (own.count - 1) + rest ** 2 / (other.count - 1));
  return { difference, error, degrees, p: studentTail(difference / error, degrees) };
}

/** The 95 % interval of the difference of the means. */
export function welchInterval({ difference, error, degrees }: Welch): Interval {
  const spread = studentQuantile(SIGNIFICANT, degrees) * error;
  return { low: difference - spread, high: difference + spread };
}

/**
 * Holm's correction of p-values that are looked at together, in their order. Those that are null were no tests, and do not count.
 */
export function holm(given: readonly (number | null)[]): readonly (number | null)[] {
  const tests = given.flatMap((p, at) => (p === null ? [] : [{ p, at }])).toSorted((a, b) => a.p - b.p);
  const adjusted: (number | null)[] = given.map(() => null);
  let most = 0;
  for (const [rank, { p, at }] of tests.entries()) {
    most = Math.max(most, Math.min(1, (tests.length - rank) * p));
    adjusted[at] = most;
  }
  return adjusted;
}

/** The variance of whether a person converts. */
export function rateVariance({ users, conversions }: Rate): number {
  const rate = conversions / users;
  return rate * (1 - rate);
}

/** How many persons of each variant show such a difference with 80 % power in a test that decides below 5 %; null of no difference. */
export function personsForPower(variances: readonly [number, number], difference: number): number | null {
  if (difference === 0) return null;
  // Divided twice: the square of a tiny difference would be 0.
  return ((Z + Z_POWER) ** 2 * (variances[0] + variances[1])) / difference / difference;
}

/** P(X >= x) of the chi-squared distribution: the regularised upper incomplete gamma function at (degrees / 2, x / 2). */
export function chiSquaredTail(x: number, degrees: number): number {
  const [a, t] = [degrees / 2, x / 2];
  if (t <= 0) return 1;
  const scale = Math.exp(a * Math.log(t) - t - logGamma(a));
  return t < a + 1 ? 1 - scale * lowerSeries(a, t) : scale * upperFraction(a, t);
}

/** P(|T| >= |t|) of Student's t distribution. @param degrees At least 1; need not be whole. */
export function studentTail(t: number, degrees: number): number {
  const [size, a] = [Math.abs(t), degrees / 2];
  const odds = (size / degrees) * size;
  if (degrees > MANY && odds < 0.25) return tailOfMany(Math.log1p(odds), a);
  if (size === 0) return 1;
  // Each is exact where it is near 0 and the other near 1.
  const [x, y] = [1 / (1 + odds), odds < 1 ? odds / (1 + odds) : 1 - 1 / (1 + odds)];
  const logX =
    odds < 1 ? -Math.log1p(odds) : Number.isFinite(odds) ? Math.log(x) : Math.log(degrees) - 2 * Math.log(size);
  // The incomplete beta function at (degrees / 2, 1 / 2), by the fraction that converges fast on this side.
  const scale = (Math.exp(a * logX) * Math.sqrt(y) * gammaRatio(a)) / Math.sqrt(Math.PI);
  return x < (a + 1) / (a + 2.5) ? (scale / a) * betaFraction(a, 0.5, x) : 1 - scale * 2 * betaFraction(0.5, a, y);
}

/** Degrees from which the terms below reach the precision of floats. */
const MANY = 100;
/** Of (sinh(v / 2) / (v / 2)) ** (-1 / 2), by powers of v². */
const SINH_TERMS = [1, -1 / 48, 1 / 2_560, -61 / 7_741_440, 1_261 / 7_431_782_400];

/**
 * For many degrees: with x = exp(-v) the incomplete beta function at (a, 1/2) is the integral of exp(-v (a - 1/4)) / sqrt(v) times
 * that root, from v on, and each of its terms is an incomplete gamma function (DiDonato and Morris).
 */
function tailOfMany(v: number, a: number): number {
  const many = a - 0.25;
  const w = many * v;
  let [gamma, power, sum] = [chiSquaredTail(2 * w, 1), Math.sqrt(w / Math.PI) * Math.exp(-w), 0];
  for (const [n, term] of SINH_TERMS.entries()) {
    sum += term * gamma;
    for (const s of [2 * n + 0.5, 2 * n + 1.5]) {
      gamma = (s * gamma + power) / many;
      power *= w / many;
    }
  }
  return (sum * gammaRatio(a)) / Math.sqrt(many);
}

/** The t that |T| exceeds with this probability, 0 < p < 1. */
export function studentQuantile(p: number, degrees: number): number {
  let [low, high] = [0, 1];
  while (studentTail(high, degrees) > p) [low, high] = [high, high * 2];
  for (let middle = (low + high) / 2; middle > low && middle < high; middle = (low + high) / 2) {
    if (studentTail(middle, degrees) > p) low = middle;
    else high = middle;
  }
  return high;
}

/** Of series and fractions. */
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

/** A continued fraction that converges fast above a + 1. */
function upperFraction(a: number, t: number): number {
  return 1 / fraction((n) => ({ factor: n === 0 ? 0 : n * (a - n), term: t + 1 - a + 2 * n }));
}

/** The continued fraction of the incomplete beta function, which converges fast below (a + 1) / (a + b + 2). */
function betaFraction(a: number, b: number, x: number): number {
  return (
    1 /
    fraction((n) => {
      const m = Math.floor(n / 2);
      const factor =
        n % 2 === 1
          ? -((a + m) * (a + b + m) * x) / ((a + n - 1) * (a + n))
          : (m * (b - m) * x) / ((a + n - 1) * (a + n));
      return { factor, term: 1 };
    })
  );
}

/** term(0) + factor(1) / (term(1) + factor(2) / …), evaluated forwards (Lentz). */
function fraction(part: (n: number) => { readonly factor: number; readonly term: number }): number {
  let value = part(0).term;
  let [c, d] = [value, 0];
  for (let n = 1; n < ROUNDS; n++) {
    const { factor, term } = part(n);
    d = 1 / (term + factor * d);
    c = term + factor / c;
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

/** From here on the terms below reach the precision of floats. */
const LARGE = 40;

/** Γ(a + 1/2) / Γ(a): its expansion for large a, to which small ones go up by ratio(a) = ratio(a + 1) a / (a + 1/2). */
function gammaRatio(a: number): number {
  let [scale, at] = [1, a];
  for (; at < LARGE; at++) scale *= at / (at + 0.5);
  const terms = [1, -1 / 8, 1 / 128, 5 / 1_024, -21 / 32_768, -399 / 262_144, 869 / 4_194_304];
  return scale * Math.sqrt(at) * terms.reduceRight((sum, term) => sum / at + term, 0);
}
