/** `inspect *`: every event with its users, first and last time, and how many property keys it has. Runs in one part. */
import type { Field, Group, InspectPlan, Metric } from '../../../dsl/plan/plan.ts';
import type { Cell } from '../../../dsl/plan/table.ts';
import { Aggregation } from '../aggregation.ts';
import type { GroupsPartial } from '../../metrics/metric-partial.ts';
import { positionsOf, type Positions } from '../../groups/positions.ts';
import { select } from '../../groups/select.ts';
import type { MergedGroups } from '../../metrics/merge-groups.ts';
import { mergeMetrics } from '../../metrics/merge-metrics.ts';
import type { QueryContext } from '../../query-context.ts';
import { filterOf } from '../../where/filter.ts';
import { tableKernel, type Kernel } from '../contract.ts';
import { groupRows, pagedTable } from '../group-rows.ts';
import { OVERFLOW, type Column, type Segment } from '../../../shards/shard-reader.ts';
import { type Budget, ENTRY_BYTES } from '../../budget.ts';
import { objectIn } from '../../rows/json-path.ts';

const core = (name: 'event_type' | 'distinct_id' | 'time'): Field => ({ kind: 'core', name });
const GROUPS: readonly Group[] = [{ kind: 'field', field: core('event_type'), column: 'event_type' }];
const METRICS: readonly Metric[] = [
  { kind: 'count', column: 'count' },
  { kind: 'unique', field: core('distinct_id'), column: 'users' },
  { kind: 'min', field: core('time'), column: 'first_seen' },
  { kind: 'max', field: core('time'), column: 'last_seen' },
];

/** By group: the code of its event type. */
function codesOf({ keys: [types] }: GroupsPartial, { count, places: [places] }: MergedGroups): Uint32Array {
  const codes = new Uint32Array(count);
  if (count === 0) return codes;
  if (!types?.dictionary || places === undefined) throw new Error('event types have no codes');
  const { ids, dictionary } = types;
  places.forEach((group, i) => (codes[group] = ids[i] === 0 ? 0 : dictionary.codes[ids[i]! - 1]!));
  return codes;
}

export function inspectKernel(plan: InspectPlan): Kernel {
  return tableKernel('oldest', (context) => {
    const aggregation = new Aggregation(GROUPS, METRICS, context);
    const keys = new PropertyKeys(context.budget);
    return {
      consume(rows, range) {
        const filter = filterOf(plan.where, rows, context);
        aggregation.add({ rows, list: null, ...range, filter });
        keys.add(rows.segment, select(positionsOf(rows, null, range, null), filter, context), context);
      },
      table() {
        const part = aggregation.partial();
        const merged = mergeMetrics([part], 1, METRICS, context);
        const codes = codesOf(part, merged.groups);
        const rowsOf = (only: Uint32Array | null): Cell[][] =>
          groupRows(merged, 1, only).map((row, i) => [...row, keys.count(codes[only === null ? i : only[i]!]!)]);
        return pagedTable(plan, GROUPS, merged, rowsOf);
      },
    };
  });
}

/** Which property keys the events of each type have, null or not. */
class PropertyKeys {
  readonly #budget: Budget;
  /** By code of the event type. */
  readonly #keys = new Map<number, Set<string>>();

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** How many keys the events of a type have. */
  count(type: number): number {
    return this.#keys.get(type)?.size ?? 0;
  }

  add(segment: Segment, positions: Positions, context: QueryContext): void {
    const types = segment.column('event_type')?.codes;
    if (!types || positions.spans.length === 0) return;
    const present = segment.types.codes;
    for (const name of segment.columnKeys()) {
      if (!name.startsWith('p:')) continue;
      context.checkpoint();
      const key = name.slice(2);
      // After the first segment most keys are known for every type: their columns are not read again.
      if (key !== OVERFLOW && present.every((type) => this.#keys.get(type)?.has(key))) continue;
      const column = segment.column(name);
      if (column !== null) this.#addColumn(key, column, types, positions);
    }
  }

  #addColumn(key: string, column: Column, types: ArrayLike<number>, positions: Positions): void {
    const { codes, dictionary, numbers } = column;
    if (codes !== null && dictionary !== null) {
      const keysOf =
        key === OVERFLOW ? (code: number) => Object.keys(objectIn(dictionary.text(code))) : (): string[] => [key];
      this.#addCodes(codes, { size: dictionary.size, keysOf }, types, positions);
    }
    if (numbers === null) return;
    const has = new Uint8Array(types.length);
    if (numbers.rows === null) has.fill(1);
    else for (const row of numbers.rows) has[row] = 1;
    this.#addCodes(has, { size: 1, keysOf: () => [key] }, types, positions);
  }

  #addCodes(
    codes: ArrayLike<number>,
    of: { readonly size: number; readonly keysOf: (code: number) => readonly string[] },
    types: ArrayLike<number>,
    positions: Positions,
  ): void {
    const seen = new Set<number>();
    for (const { from, to } of positions.spans) {
      for (let k = from; k < to; k++) {
        const row = positions.rows === null ? k : positions.rows[k]!;
        const code = codes[row]!;
        if (code !== 0) seen.add(types[row]! * (of.size + 1) + code);
      }
    }
    for (const pair of seen) {
      const type = Math.floor(pair / (of.size + 1));
      for (const key of of.keysOf(pair % (of.size + 1))) this.#put(type, key);
    }
  }

  #put(type: number, key: string): void {
    const keys = this.#keys.get(type) ?? new Set<string>();
    if (keys.has(key)) return;
    this.#budget.take(ENTRY_BYTES);
    keys.add(key);
    this.#keys.set(type, keys);
  }
}
