/** `funnel`: every start is an attempt; a person counts at the furthest step of any. */
import type { FunnelPlan } from '../../lib/dsl/plan/plan.ts';
import type { Cell } from '../../lib/dsl/plan/table.ts';
import { holds } from './condition.ts';
import { eventRow, type EventRow } from './events.ts';
import { groupColumn, labelOf, type Label } from './groups.ts';
import { percentile } from './metrics.ts';
import { isNamed, selectEvents, type Scope } from './scope.ts';
import { by, column, inTurn, type Line, type Sheet } from './table.ts';
import { addDuration } from './zone.ts';

/** The events of an attempt, one for each step it reached. */
type Attempt = readonly EventRow[];

export function answerFunnel(scope: Scope, plan: FunnelPlan): Sheet {
  const rows = selectEvents(scope, plan).map((event) => eventRow(scope, event));
  const counted = [...byPerson(rows).values()]
    .map((own) => countedAttempt(own, plan))
    .filter((attempt) => attempt !== undefined);
  const piles = pileAttempts(counted, plan, scope.zone);
  if (plan.groups.length === 0 && piles.length === 0) piles.push({ labels: [], attempts: [] });
  const columns = [
    ...plan.groups.map(groupColumn),
    column('step', 'number', 'value'),
    column('event', 'string', 'value'),
    column('users', 'number', 'metric'),
    column('conversion', 'ratio', 'metric'),
    column('step_conversion', 'ratio', 'metric'),
    column('median_seconds', 'seconds', 'metric'),
  ];
  const firstUsers = columns.length;
  const groups = plan.groups.map((group, index) => ({ index, bucket: group.kind === 'bucket' }));
  const order = inTurn(
    ...groups.filter(({ bucket }) => bucket).map(({ index }) => by(index, 'ascending')),
    by(firstUsers, 'descending'),
    ...groups.filter(({ bucket }) => !bucket).map(({ index }) => by(index, 'ascending')),
    by(plan.groups.length, 'ascending'),
  );
  return { columns, lines: piles.flatMap(({ labels, attempts }) => stepLines(labels, attempts, plan)), order };
}

/** Events by person, each person's in order; events of nobody are left out. */
export function byPerson(rows: readonly EventRow[]): Map<string, EventRow[]> {
  const people = new Map<string, EventRow[]>();
  for (const row of rows) {
    const person = row.event.distinctId;
    if (person === null) continue;
    const own = people.get(person) ?? [];
    own.push(row);
    people.set(person, own);
  }
  return people;
}

function countedAttempt(own: readonly EventRow[], plan: FunnelPlan): Attempt | undefined {
  const attempts = own.filter((row) => isStep(row, 0, plan)).map((start) => attempt(start, own, plan));
  const furthest = Math.max(...attempts.map((taken) => taken.length));
  return attempts.find((taken) => taken.length === furthest);
}

function isStep(row: EventRow, step: number, plan: FunnelPlan): boolean {
  const wanted = plan.steps[step];
  return wanted !== undefined && isNamed(row.event, wanted.event) && holds(wanted.where, row.read);
}

function attempt(start: EventRow, own: readonly EventRow[], plan: FunnelPlan): Attempt {
  const end = addDuration(start.time, plan.window, plan.zone);
  const taken = [start];
  for (let step = 1; step < plan.steps.length; step++) {
    const before = taken[step - 1] ?? start;
    const next = own.find(
      (row) => isStep(row, step, plan) && row.time >= before.time && row.time <= end && !taken.includes(row),
    );
    if (next === undefined) break;
    const excluded = own.some(
      (row) => before.time < row.time && row.time < next.time && plan.exclude.some((name) => isNamed(row.event, name)),
    );
    if (excluded) break;
    taken.push(next);
  }
  return taken;
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
    const own = users[step] ?? 0;
    const measured: Cell[] = [
      step + 1,
      wanted.event ?? '*',
      own,
      share(own, users[0] ?? 0),
      share(own, users[Math.max(step - 1, 0)] ?? 0),
      step === 0 ? null : medianSeconds(attempts, step),
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

function medianSeconds(attempts: readonly Attempt[], step: number): number | null {
  const milliseconds = attempts.flatMap((taken) => {
    const [before, at] = [taken[step - 1], taken[step]];
    return before === undefined || at === undefined ? [] : [at.time - before.time];
  });
  return milliseconds.length === 0 ? null : percentile(milliseconds, 50) / 1000;
}
