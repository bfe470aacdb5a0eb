/** `choice k | results e`: conversion by variant, and the certainty of a difference. */
import type { ChoicePlan } from '../../lib/dsl/plan/plan.ts';
import { eventRow, type EventRow } from './events.ts';
import { share } from './funnel.ts';
import { peopleSheet, type Person } from './people.ts';
import { isNamed, selectEvents, type Scope } from './scope.ts';
import { by, column, type Line, type Sheet } from './table.ts';
import { compareText, groupText } from './value.ts';
import { addDuration } from './zone.ts';

const Z = 1.959963984540054;

interface Tally {
  readonly users: number;
  readonly conversions: number;
}

export function answerChoice(scope: Scope, plan: ChoicePlan): Sheet {
  const rows = selectEvents(scope, plan).map((event) => eventRow(scope, event));
  if (plan.people !== undefined) return peopleSheet(scope, plan, exposedPersons(rows, plan), OF_PEOPLE);
  const tallies = tallyVariants(rows, plan);
  const variants = [...tallies.keys()].sort(compareText);
  const first = variants.includes('control') ? 'control' : variants[0];
  const base = tallies.get(first ?? '') ?? { users: 0, conversions: 0 };
  const lines = variants.map((variant): Line => {
    const own = tallies.get(variant) ?? base;
    const { users, conversions } = own;
    const [low, high] = wilson(own);
    const lift = variant === first ? null : liftOf(own, base);
    const p = variant === first ? null : pValue(own, base);
    const cells = [variant, users, conversions, share(conversions, users), lift, low, high, p];
    return { cells, keys: [...cells, variant === first ? 0 : 1] };
  });
  const columns = [
    column('variant', 'string', 'group'),
    column('users', 'number', 'metric'),
    column('conversions', 'number', 'metric'),
    column('rate', 'ratio', 'metric'),
    column('lift', 'ratio', 'metric'),
    column('ci_low', 'ratio', 'metric'),
    column('ci_high', 'ratio', 'metric'),
    column('p_value', 'number', 'metric'),
  ];
  return { columns, lines, order: (a, b) => by(8, 'ascending')(a, b) || by(0, 'ascending')(a, b) };
}

const OF_PEOPLE = [column('variant', 'string', 'group'), column('converted', 'json', 'value')];

function exposedPersons(rows: readonly EventRow[], plan: ChoicePlan): Person[] {
  return exposedUnits(rows, plan).flatMap(({ first, variant, converted }) => {
    const id = first.event.distinctId;
    return id === null ? [] : [{ id, time: first.time, labels: [], more: [variant, converted] }];
  });
}

function tallyVariants(rows: readonly EventRow[], plan: ChoicePlan): Map<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const { variant, converted } of exposedUnits(rows, plan)) {
    const { users, conversions } = tallies.get(variant) ?? { users: 0, conversions: 0 };
    tallies.set(variant, { users: users + 1, conversions: conversions + (converted ? 1 : 0) });
  }
  return tallies;
}

interface ExposedUnit {
  readonly first: EventRow;
  readonly variant: string;
  readonly converted: boolean;
}

/** Those who saw one variant. */
function exposedUnits(rows: readonly EventRow[], plan: ChoicePlan): ExposedUnit[] {
  return [...byUnit(rows, plan).values()].flatMap((own) => {
    const exposures = own.flatMap((row) => {
      const variant = variantOf(row, plan);
      return variant === null ? [] : [{ row, variant }];
    });
    const [first] = exposures;
    if (first === undefined || exposures.some(({ variant }) => variant !== first.variant)) return [];
    return [{ first: first.row, variant: first.variant, converted: converts(own, first.row.time, plan) }];
  });
}

function byUnit(rows: readonly EventRow[], plan: ChoicePlan): Map<string, EventRow[]> {
  const units = new Map<string, EventRow[]>();
  for (const row of rows) {
    const unit = groupText(row.read(plan.unit));
    if (unit === null) continue;
    const own = units.get(unit) ?? [];
    own.push(row);
    units.set(unit, own);
  }
  return units;
}

/** The variant of an exposure to this choice; null if the event is none. */
function variantOf({ event, read }: EventRow, plan: ChoicePlan): string | null {
  if (event.type !== 'choice.exposure') return null;
  if (groupText(read({ kind: 'event', path: 'choice_key' })) !== plan.choice) return null;
  return groupText(read({ kind: 'event', path: 'variant_key' }));
}

function converts(own: readonly EventRow[], exposed: number, plan: ChoicePlan): boolean {
  const end = addDuration(exposed, plan.window, plan.zone);
  return own.some((row) => isNamed(row.event, plan.conversion) && exposed <= row.time && row.time <= end);
}

/** The 95 % interval of a rate. */
function wilson({ users: n, conversions }: Tally): [number | null, number | null] {
  if (n === 0) return [null, null];
  const rate = conversions / n;
  const centre = rate + (Z * Z) / (2 * n);
  const spread = Z * Math.sqrt((rate * (1 - rate)) / n + (Z * Z) / (4 * n * n));
  const scale = 1 + (Z * Z) / n;
  // Exact at the ends, where rounding would leave a tiny difference.
  return [conversions === 0 ? 0 : (centre - spread) / scale, conversions === n ? 1 : (centre + spread) / scale];
}

function liftOf(own: Tally, base: Tally): number | null {
  const [rate, baseRate] = [share(own.conversions, own.users), share(base.conversions, base.users)];
  return rate === null || baseRate === null || baseRate === 0 ? null : rate / baseRate - 1;
}

/** Two-sided, of a pooled two-proportion z-test; null if nobody or everybody converts. */
function pValue(own: Tally, base: Tally): number | null {
  const pooled = (own.conversions + base.conversions) / (own.users + base.users);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / own.users + 1 / base.users));
  if (!(error > 0)) return null;
  const z = (own.conversions / own.users - base.conversions / base.users) / error;
  return 2 * tailMass(Math.abs(z));
}

/** The mass of the normal distribution above z, by Simpson's rule in fine steps. */
function tailMass(z: number): number {
  const [steps, width] = [20_000, 20];
  const density = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  let sum = density(z) + density(z + width);
  for (let i = 1; i < steps; i++) sum += (i % 2 === 1 ? 4 : 2) * density(z + (i * width) / steps);
  return (sum * width) / steps / 3;
}
