/** The persons that a kernel found as rows: only those of the page get texts. */
import { columnsOf } from '../../dsl/plan/columns.ts';
import { finishPage, rowsNeeded } from '../../dsl/finish/finish.ts';
import { firstInOrder } from '../../dsl/finish/select-rows.ts';
import { rowOfPerson } from '../../dsl/plan/people.ts';
import type { Field, Plan } from '../../dsl/plan/plan.ts';
import type { Cell, Table } from '../../dsl/plan/table.ts';
import { compareCodePoints } from '../../dsl/plan/value.ts';
import { CHECK_EVERY } from '../check-every.ts';
import type { MergedGroups } from '../metrics/merge-groups.ts';
import type { GroupsPartial } from '../metrics/metric-partial.ts';
import { nthGreatest } from '../metrics/percentile.ts';
import type { RowContext } from '../query-context.ts';
import { bytesOfCell } from '../rows/cell-bytes.ts';
import { textAtRow } from '../rows/typed-value.ts';
import { ENTRY_BYTES } from '../budget.ts';

/** Persons, each once, with the time that counts: milliseconds. */
export class FoundPeople {
  count = 0;
  readonly persons: Uint32Array;
  readonly times: Float64Array;
  /** Of their groups, or whatever else stands for the cells behind the time. */
  readonly labels: Uint32Array;

  /** @param most As many as there may be. */
  constructor(most: number, { budget, memory }: Pick<RowContext, 'budget' | 'memory'>) {
    budget.take(most * (4 + 8 + 4 + 4)); // who, when, the label, and a place in the order
    this.persons = memory.words(most);
    this.times = memory.floats(most);
    this.labels = memory.words(most);
  }

  add(person: number, time: number, label: number): void {
    this.persons[this.count] = person;
    this.times[this.count] = time;
    this.labels[this.count++] = label;
  }
}

/** @param cellsOf The cells behind the time, by label. */
export function peopleTable(
  plan: Plan,
  found: FoundPeople,
  cellsOf: (label: number) => readonly Cell[],
  context: RowContext,
): Table {
  const { persons, times, labels, count } = found;
  const profiles = context.profiles();
  const { ids } = profiles;
  const compareIds = (a: number, b: number): number =>
    ids.compare?.(a, b) ?? compareCodePoints(ids.text(a), ids.text(b));
  const places = new Uint32Array(count);
  for (let at = 0; at < count; at++) places[at] = at;
  const needed = plan.order.kind === 'default' ? Math.min(rowsNeeded(plan), count) : count;
  const before = (a: number, b: number): number => times[b]! - times[a]! || compareIds(persons[a]!, persons[b]!);
  const shown =
    needed === count
      ? places
      : (plan.hides?.key ?? null) === null
        ? Uint32Array.from(firstInOrder(places, before, needed))
        : lastSince(places, times, needed);
  context.checkpoint();
  const emailOf = emailsOf(shown.map((at) => persons[at]!), context); // prettier-ignore
  context.budget.take(shown.length * ENTRY_BYTES);
  const rows = Array.from(shown, (at, row): Cell[] => {
    if (row % CHECK_EVERY === 0) context.checkpoint();
    const cells = [ids.text(persons[at]!), emailOf(row), times[at]!, ...cellsOf(labels[at]!)];
    context.budget.take(bytesOfCell(cells));
    return cells;
  });
  return finishPage(plan, columnsOf(plan), rows, count);
}

/**
 * Rows of persons, each with an e-mail address.
 * @param cells Of counted groups, and the time behind them.
 * @param persons Of all groups. @param only Those that the cells are of; null: all.
 */
export function peopleRows(
  cells: readonly Cell[][],
  { persons, only }: { readonly persons: Uint32Array; readonly only: Uint32Array | null },
  context: Pick<RowContext, 'profiles' | 'zone'>,
): Cell[][] {
  const emailOf = emailsOf(only === null ? persons : only.map((group) => persons[group]!), context);
  return cells.map(([id = null, ...others], row) => rowOfPerson([id, emailOf(row), ...others]));
}

/** The person of each merged group, of which the first counted one is `distinct_id`. */
export function personsOfGroups(
  parts: readonly GroupsPartial[],
  { count, places }: Pick<MergedGroups, 'count' | 'places'>,
  { budget }: Pick<RowContext, 'budget'>,
): Uint32Array {
  budget.take(2 * 4 * count); // and those of a page, which may be all
  const persons = new Uint32Array(count);
  for (const [nth, { groups, keys }] of parts.entries()) {
    const [{ ids, dictionary }, own] = [keys[0]!, places[nth]!];
    if (groups > 0 && dictionary === undefined) throw new Error('persons have no codes');
    for (let group = 0; group < groups; group++) persons[own[group]!] = dictionary!.codes[ids[group]! - 1]!;
  }
  return persons;
}

/** The e-mail address of each of these persons, by its place among them. */
function emailsOf(
  persons: Uint32Array,
  { profiles, zone }: Pick<RowContext, 'profiles' | 'zone'>,
): (at: number) => Cell {
  const emails = profiles().columnOfPage(EMAIL, persons);
  return (at) => textAtRow(emails, at, zone);
}

/** All of as many of the newest times as have so many persons: of one time, they are in the order of hashes. */
function lastSince(places: Uint32Array, times: Float64Array, needed: number): Uint32Array {
  const least = nthGreatest(times.subarray(0, places.length), needed);
  return places.filter((at) => times[at]! >= least);
}

const EMAIL: Field & { readonly kind: 'account' } = { kind: 'account', name: 'email' };
