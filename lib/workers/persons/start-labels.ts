/** The groups of events that start something (an attempt, a cohort): a number per combination, the same throughout a part. */
import { NOWHERE } from '../groups/slots.ts';
import type { Group } from '../../dsl/plan/plan.ts';
import type { GroupsPartial } from '../metrics/groups-partial.ts';
import { axisOf, type Axis } from '../groups/axis.ts';
import { FieldIds, idAt, type RowIds } from '../groups/field-ids.ts';
import { PairTable } from '../groups/pair-table.ts';
import type { Positions } from '../groups/positions.ts';
import { packTexts } from '../metrics/metric-partial.ts';
import type { RowContext } from '../query-context.ts';
import type { RowSet } from '../rows/row-set.ts';

const CHECK_EVERY = 65_536;

export class StartLabels {
  readonly #groups: readonly Group[];
  readonly #context: RowContext;
  readonly #axis: Axis;
  readonly #fields: readonly FieldIds[];
  /** One table fewer than a label has parts: the bucket, if it is a group, and the fields. */
  readonly #pairs: readonly PairTable[];

  /** @param groups At least one. */
  constructor(groups: readonly Group[], context: RowContext) {
    this.#groups = groups;
    this.#context = context;
    this.#axis = axisOf(groups, context.plan.range, context.zone);
    this.#fields = groups.flatMap((group) => (group.kind === 'field' ? [new FieldIds(group.field, context)] : []));
    const parts = this.#fields.length + (this.#axis.starts === null ? 0 : 1);
    this.#pairs = Array.from({ length: parts - 1 }, () => new PairTable(context.budget));
  }

  /** The instants at which rows must be cut before they are labelled. */
  get starts(): Float64Array | null {
    return this.#axis.starts;
  }

  /** The labels of the positions' rows, indexed by place. */
  of(rows: RowSet, positions: Positions): Uint32Array {
    const { spans, rows: list } = positions;
    const labels = new Uint32Array(spans.at(-1)?.to ?? 0);
    const [first, last] = [spans[0]?.from ?? 0, (spans.at(-1)?.to ?? 0) - 1];
    if (last < first) return labels;
    const range = list === null ? { from: first, to: last + 1 } : { from: list[first]!, to: list[last]! + 1 };
    const ids = this.#fields.map((field) => field.of(rows, range.from, range.to));
    const byBucket = this.#axis.starts !== null;
    for (const { bucket, from, to } of spans) {
      for (let k = from; k < to; k++) {
        if (k % CHECK_EVERY === 0) this.#context.checkpoint();
        labels[k] = this.#label(list === null ? k : list[k]!, ids, byBucket ? bucket : -1);
      }
    }
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

  #label(row: number, ids: readonly (RowIds | null)[], bucket: number): number {
    let label = bucket >= 0 ? bucket : idAt(ids[0]!, row);
    const skipped = bucket >= 0 ? 0 : 1;
    for (let at = skipped; at < ids.length; at++) label = this.#pairs[at - skipped]!.id(label, idAt(ids[at]!, row));
    return label;
  }

  /** The parts of a label in order: the bucket, if it is a group, then the fields. */
  #decode(label: number): number[] {
    const parts: number[] = [];
    let rest = label;
    for (let at = this.#pairs.length - 1; at >= 0; at--) {
      parts.unshift(this.#pairs[at]!.second(rest));
      rest = this.#pairs[at]!.first(rest);
    }
    return [rest, ...parts];
  }

  #keys(group: Group, at: number, labels: readonly number[]): GroupsPartial['keys'][number] {
    const read = this.#reader(group, at);
    const known = new Map<string, number>();
    const texts: string[] = [];
    const ids = Uint32Array.from(labels, (label) => {
      const text = read(label);
      if (text === null) return 0;
      const id = known.get(text) ?? texts.push(text);
      known.set(text, id);
      return id;
    });
    return { ids, texts: packTexts(texts) };
  }

  #reader(group: Group, nth: number): (label: number) => string | null {
    const byBucket = this.#axis.starts === null ? 0 : 1;
    if (group.kind === 'bucket') return (label) => this.#axis.label(nth, this.#decode(label)[0]!);
    const place = this.#groups.slice(0, nth).filter(({ kind }) => kind === 'field').length;
    return (label) => this.#fields[place]!.text(this.#decode(label)[byBucket + place]!);
  }
}
