/** Profiles and bindings as exports take them: page by page, in order of their ids. Runs in one part, over no segment. */
import { columnsOf } from '../../dsl/plan/columns.ts';
import { firstInOrder } from '../../dsl/finish/select-rows.ts';
import type { IdentitiesPlan } from '../../dsl/plan/plan.ts';
import type { Cell, Table } from '../../dsl/plan/table.ts';
import { compareCodePoints } from '../../dsl/plan/value.ts';
import type { QueryContext } from '../query-context.ts';
import { bytesOfCell, MOST_PAGE_BYTES } from '../rows/cell-bytes.ts';
import { CHECK_EVERY } from '../check-every.ts';
import { tableKernel, type Kernel } from './contract.ts';

export function identitiesKernel(plan: IdentitiesPlan): Kernel {
  return tableKernel('oldest', (context) => ({
    consume: () => undefined, // who somebody is stands beside the events
    table: () => (plan.of === 'profiles' ? profiles(plan, context) : bindings(plan, context)),
  }));
}

/** Those last seen in the range. */
function profiles(plan: IdentitiesPlan, context: QueryContext): Table {
  const { from, to } = plan.range;
  const seen = context.profiles().profiles.filter(({ lastSeen }) => lastSeen >= from && lastSeen < to);
  const byPerson = new Map(seen.map((profile) => [profile.person, profile]));
  return pageOf(plan, [...byPerson.keys()], context, (person, userId) => {
    const { firstSeen, lastSeen, properties } = byPerson.get(person)!;
    return [userId, firstSeen, lastSeen, properties];
  });
}

function bindings(plan: IdentitiesPlan, context: QueryContext): Table {
  const { personOfDevice, size, version } = context.identity();
  const dates = context.reader.boundAt(version);
  const ids = context.reader.ids();
  const devices: number[] = [];
  for (let code = 1; code < size; code++) if (personOfDevice[code] !== code) devices.push(code);
  return pageOf(plan, devices, context, (device, deviceId) => [
    deviceId,
    ids.text(personOfDevice[device]!),
    dates[device] ?? null,
  ]);
}

/** The rows of the first ids behind the place, as many as there is room for. @param codes Of the ids. */
function pageOf(
  plan: IdentitiesPlan,
  codes: readonly number[],
  { reader, budget, checkpoint }: QueryContext,
  rowOf: (code: number, id: string) => Cell[],
): Table {
  const { after, page } = plan;
  const ids = reader.ids();
  budget.take(codes.length * 2 * Float64Array.BYTES_PER_ELEMENT);
  const isBehind = (code: number, at: number): boolean => {
    if (at % CHECK_EVERY === 0) checkpoint();
    return after === '' || compareCodePoints(ids.text(code), after) > 0;
  };
  const left = codes.filter(isBehind);
  const first = firstInOrder(left, (a, b) => ids.compare(a, b), Math.min(page.limit, left.length));
  const rows: Cell[][] = [];
  let bytes = 0;
  for (const code of first) {
    const row = rowOf(code, ids.text(code));
    budget.take(bytesOfCell(row));
    bytes += bytesOfCell(row);
    rows.push(row);
    if (bytes >= MOST_PAGE_BYTES) break;
  }
  const table = { columns: columnsOf(plan), rows, total: rows.length };
  const last = first[rows.length - 1];
  return last === undefined ? table : { ...table, reached: { at: ids.text(last), more: rows.length < left.length } };
}
