/** `funnel`: every start is an attempt; a person counts at the furthest step of any. */
import { unreachable } from '../../lib/base/unreachable.ts';
import type { Field, FunnelPlan, People, StepTime } from '../../lib/dsl/plan/plan.ts';
import type { Cell } from '../../lib/dsl/plan/table.ts';
import { holds } from './condition.ts';
import { eventRow, type EventRow } from './events.ts';
import { groupColumn, labelOf, type Label } from './groups.ts';
import { percentile } from './metrics.ts';
import { peopleSheet, type Person } from './people.ts';
import { isNamed, selectEvents, type Scope } from './scope.ts';
import { by, column, inTurn, scales, type Line, type Sheet } from './table.ts';
import { groupText } from './value.ts';
import { addDuration } from './zone.ts';

/** The events of an attempt, one for each step it reached. */
type Attempt = readonly EventRow[];

export function answerFunnel(scope: Scope, plan: FunnelPlan): Sheet {
  const rows = selectEvents(scope, plan).map((event) => eventRow(scope, event));
  const counted = [...(plan.unit === null ? byPerson(rows) : byUnit(rows, plan.unit)).values()]
    .map((own) => countedAttempt(own, plan))
    .filter((attempt) => attempt !== undefined);
  if (plan.people !== undefined) return peopleSheet(scope, plan, counted.flatMap((taken) => personAt(taken, plan, plan.people!))); // prettier-ignore
  const piles = pileAttempts(counted, plan, scope.zone);
  if (plan.groups.length === 0 && piles.length === 0) piles.push({ labels: [], attempts: [] });
  const columns = [
    ...plan.groups.map(groupColumn),
    column('step', 'number', 'value'),
    column('event', 'string', 'value'),
    column(plan.unit === null ? 'users' : 'units', 'number', 'metric'),
    column('conversion', 'ratio', 'metric'),
    column('step_conversion', 'ratio', 'metric'),
    column('median_seconds', 'seconds', 'metric'),
    ...plan.times.map((time) => column(time.column, 'seconds', 'metric')),
  ];
  const firstUsers = columns.length;
  const order = inTurn(
    ...scales(columns),
    by(firstUsers, 'descending'),
    ...plan.groups.map((_, index) => by(index, 'ascending')),
    by(plan.groups.length, 'ascending'),
  );
  return { columns, lines: piles.flatMap(({ labels, attempts }) => stepLines(labels, attempts, plan)), order };
}

/** Whoever reached the step, or no more than it, with the event at it. */
function personAt(taken: Attempt, plan: FunnelPlan, { which, nth }: People): Person[] {
  const [start, at] = [taken[0], taken[nth - 1]];
  if (start === undefined || at === undefined || (which === 'dropped' && taken.length > nth)) return [];
  return [{ id: start.event.distinctId!, time: at.time, labels: plan.groups.map((group) => labelOf(group, start, plan.zone)) }]; // prettier-ignore
}

/** Events by person, each person's in order; events of nobody are left out. */
export function byPerson(rows: readonly EventRow[]): Map<string, EventRow[]> {
  return pileBy(rows, (row) => row.event.distinctId);
}

function byUnit(rows: readonly EventRow[], unit: Field): Map<string, EventRow[]> {
  return pileBy(rows, (row) => groupText(row.read(unit)));
}

function pileBy(rows: readonly EventRow[], nameOf: (row: EventRow) => string | null): Map<string, EventRow[]> {
  const piles = new Map<string, EventRow[]>();
  for (const row of rows) {
    const name = nameOf(row);
    if (name === null) continue;
    const own = piles.get(name) ?? [];
    own.push(row);
    piles.set(name, own);
  }
  return piles;
}

function countedAttempt(own: readonly EventRow[], plan: FunnelPlan): Attempt | undefined {
  const starting = plan.steps.map((_, step) => step).filter((step) => step === 0 || plan.stepOrder === 'any');
  const attempts = own
    .filter((row) => starting.some((step) => isStep(row, step, plan)))
    .map((start) => attempt(start, own, plan));
  const furthest = Math.max(...attempts.map((taken) => taken.length));
  return attempts.find((taken) => taken.length === furthest);
}

function isStep(row: EventRow, step: number, plan: FunnelPlan): boolean {
  const wanted = plan.steps[step];
  return (
    wanted !== undefined && wanted.events.some((name) => isNamed(row.event, name)) && holds(wanted.where, row.read)
  );
}

function attempt(start: EventRow, own: readonly EventRow[], plan: FunnelPlan): Attempt {
  const end = addDuration(start.time, plan.window, plan.zone);
  const taken = [start];
  const filled = new Set([stepOf(start, new Set(), plan)]);
  while (taken.length < plan.steps.length) {
    const before = taken.at(-1) ?? start;
    const next = NEXT[plan.stepOrder]({ taken, filled, own, plan });
    if (next === undefined || next.time > end) break;
    const excluded = own.some(
      (row) => before.time < row.time && row.time < next.time && plan.exclude.some((name) => isNamed(row.event, name)),
    );
    if (excluded) break;
    filled.add(stepOf(next, filled, plan));
    taken.push(next);
  }
  return taken;
}

/** The first step that an event fits and that is not filled yet; -1: none. */
function stepOf(row: EventRow, filled: ReadonlySet<number>, plan: FunnelPlan): number {
  return plan.steps.findIndex((_, step) => !filled.has(step) && isStep(row, step, plan));
}

/** An attempt so far. */
interface Underway {
  readonly taken: readonly EventRow[];
  readonly filled: ReadonlySet<number>;
  /** All events of the person, in order. */
  readonly own: readonly EventRow[];
  readonly plan: FunnelPlan;
}

/** The event that the attempt takes next, by the order of steps. */
const NEXT: Record<FunnelPlan['stepOrder'], (underway: Underway) => EventRow | undefined> = {
  given: ({ taken, own, plan }) =>
    own.find(
      (row) =>
        isStep(row, taken.length, plan) &&
        isAlike(row, taken, plan) &&
        row.time >= (taken.at(-1)?.time ?? 0) &&
        !taken.includes(row),
    ),
  strict: ({ taken, own, plan }) => {
    const next = own[own.findIndex((row) => row === taken.at(-1)) + 1];
    return next !== undefined && isStep(next, taken.length, plan) && isAlike(next, taken, plan) ? next : undefined;
  },
  any: ({ taken, filled, own, plan }) =>
    own
      .slice(own.findIndex((row) => row === taken.at(-1)) + 1)
      .find((row) => stepOf(row, filled, plan) >= 0 && isAlike(row, taken, plan)),
};

/** Whether a row has the start's value of what steps have in common. */
function isAlike(row: EventRow, [start]: readonly EventRow[], { same }: FunnelPlan): boolean {
  if (same === null || start === undefined) return true;
  const value = groupText(start.read(same));
  return value !== null && groupText(row.read(same)) === value;
}

interface AttemptPile {
  readonly labels: readonly Label[];
  readonly attempts: Attempt[];
}

/** Groups attempts by the values on their first events. */
function pileAttempts(attempts: readonly Attempt[], plan: FunnelPlan, zone: string): AttemptPile[] {
  const piles = new Map<string, AttemptPile>();
  for (const taken of attempts) {
    const [start] = taken;
    if (start === undefined) continue;
    const labels = plan.groups.map((group) => labelOf(group, start, zone));
    const name = JSON.stringify(labels);
    const pile = piles.get(name) ?? { labels, attempts: [] };
    pile.attempts.push(taken);
    piles.set(name, pile);
  }
  return [...piles.values()];
}

/** A line per step. The key after those of the columns is the group's: its users of step 1. */
function stepLines(labels: readonly Label[], attempts: readonly Attempt[], plan: FunnelPlan): Line[] {
  const users = plan.steps.map((_, step) => attempts.filter((taken) => taken.length > step).length);
  return plan.steps.map((wanted, step): Line => {
    const name = wanted.events.map((event) => event ?? '*').join(' or ');
    const own = users[step] ?? 0;
    const measured: Cell[] = [
      step + 1,
      plan.stepOrder === 'any' ? null : name,
      own,
      share(own, users[0] ?? 0),
      share(own, users[Math.max(step - 1, 0)] ?? 0),
      ...[{ kind: 'percentile' as const, p: 50 }, ...plan.times].map((time) => secondsOf(time, attempts, step)),
    ];
    const keys = measured.map((cell) => (typeof cell === 'number' || typeof cell === 'string' ? cell : null));
    return {
      cells: [...labels.map((label) => label.cell), ...measured],
      keys: [...labels.map((label) => label.key), ...keys, users[0] ?? 0],
    };
  });
}

/** null if there is nobody. */
export function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function secondsOf(
  { kind, p }: Pick<StepTime, 'kind' | 'p'>,
  attempts: readonly Attempt[],
  step: number,
): number | null {
  const milliseconds = attempts.flatMap((taken) => {
    const [before, at] = [taken[step - 1], taken[step]];
    return before === undefined || at === undefined ? [] : [at.time - before.time];
  });
  const count = milliseconds.length;
  if (count === 0) return null;
  const sum = milliseconds.reduce((total, one) => total + one, 0);
  switch (kind) {
    case 'percentile':
      return percentile(milliseconds, p ?? 50) / 1000;
    case 'sum':
      return sum / 1000;
    case 'avg':
      return sum / (1000 * count);
    case 'min':
      return Math.min(...milliseconds) / 1000;
    case 'max':
      return Math.max(...milliseconds) / 1000;
    case 'stddev': {
      const squares = milliseconds.reduce((total, one) => total + (one - sum / count) ** 2, 0);
      return count < 2 ? null : Math.sqrt(squares / (count - 1)) / 1000;
    }
    default:
      return unreachable(kind);
  }
}
