/** The groups of events that start something (an attempt, a cohort): a number per combination, the same throughout a part. */
import { NOWHERE } from '../groups/slots.ts';
import type { Group } from '../../dsl/plan/plan.ts';
import { bucketKeys, fieldKeys } from '../metrics/group-keys.ts';
import type { GroupKeys, GroupsPartial } from '../metrics/metric-partial.ts';
import { axisOf, placedOn, type Axis } from '../groups/axis.ts';
import { FieldIds } from '../groups/field-ids.ts';
import { addIds, PairIds } from '../groups/pair-ids.ts';
import { rangeOf, type Positions } from '../groups/positions.ts';
import { eachBlock } from '../groups/vectors.ts';
import { wordsAt } from '../../primitives/memory.ts';
import type { RowContext } from '../query-context.ts';
import type { RowSet } from '../rows/row-set.ts';

export class StartLabels {
  readonly #groups: readonly Group[];
  readonly #context: RowContext;
  readonly #axis: Axis;
  readonly #fields: readonly FieldIds[];
  /** One table fewer than a label has parts: the bucket, if it is a group, and the fields. */
  readonly #pairs: readonly PairIds[];

  /** @param groups At least one. */
  constructor(groups: readonly Group[], context: RowContext) {
    this.#groups = groups;
    this.#context = context;
    this.#axis = axisOf(groups, context.plan.range, context.zone);
    this.#fields = groups.flatMap((group) => (group.kind === 'field' ? [new FieldIds(group, context)] : []));
    const parts = this.#fields.length + (this.#axis.starts === null ? 0 : 1);
    this.#pairs = Array.from({ length: parts - 1 }, () => new PairIds(context));
  }

  /** The labels of the positions' rows, indexed by place. */
  of(rows: RowSet, positions: Positions): Uint32Array {
    const labels = new Uint32Array(rangeOf(positions).to);
    if (labels.length === 0) return labels;
    const ids = this.#fields.map((field) => field.of(rows, positions));
    const [head = null, ...rest] = this.#axis.starts === null ? ids : [null, ...ids];
    const spans = positions.spans.flatMap((span) => placedOn(this.#axis, rows, positions.rows, span).spans);
    eachBlock({ ...positions, spans }, this.#context, (vectors, bucket, first) => {
      const own = vectors.slots(head === null ? [] : [head], this.#axis.starts === null ? 0 : bucket);
      addIds(vectors, own, rest, this.#pairs);
      labels.set(wordsAt(own, vectors.count), first);
    });
    return labels;
  }

  /** The labels as a partial's groups. `used` are those of rows that count; they are replaced by the partial's numbers. */
  pack(used: Uint32Array): GroupsPartial {
    let most = 0;
    for (let i = 0; i < used.length; i++) if (used[i]! > most) most = used[i]!;
    const numbers = new Uint32Array(most + 1).fill(NOWHERE);
    const labels: number[] = [];
    for (let i = 0; i < used.length; i++) {
      const label = used[i]!;
      if (numbers[label] === NOWHERE) numbers[label] = labels.push(label) - 1;
      used[i] = numbers[label]!;
    }
    return { groups: labels.length, keys: this.#groups.map((group, at) => this.#keys(group, at, labels)), metrics: [] };
  }

  /** A part of a label; they are in order: the bucket, if it is a group, then the fields. */
  #partOf(label: number, part: number): number {
    let rest = label;
    for (let at = this.#pairs.length; at > part; at--) rest = this.#pairs[at - 1]!.first(rest);
    return part === 0 ? rest : this.#pairs[part - 1]!.second(rest);
  }

  #keys(group: Group, nth: number, labels: readonly number[]): GroupKeys {
    const parts = (part: number): Uint32Array => Uint32Array.from(labels, (label) => this.#partOf(label, part));
    if (group.kind !== 'field') return bucketKeys(parts(0), nth, this.#axis, this.#context);
    const place = this.#groups.slice(0, nth).filter(({ kind }) => kind === 'field').length;
    return fieldKeys(parts(place + (this.#axis.starts === null ? 0 : 1)), this.#fields[place]!, false, this.#context);
  }
}
