/** Reads paths from stretches of time: the events that begin them, then all rows again for the nodes that follow. */
import type { PathsPlan } from '../../../dsl/plan/plan.ts';
import { addDuration, fixedLength } from '../../../dsl/time/duration.ts';
import { FieldIds } from '../../groups/field-ids.ts';
import type { QueryContext } from '../../query-context.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import type { Piece } from '../../rows/time-batches.ts';
import { filterOf } from '../../where/filter.ts';
import { beginAmong, followAmong } from './path-overlap.ts';
import type { PathRun, PathSource } from './path-rows.ts';
import { PathTable } from './path-table.ts';
import { PathWalk } from './path-walk.ts';

const CHECK_EVERY = 1 << 16;

export class PathReader {
  readonly table: PathTable;
  readonly labels: FieldIds;
  readonly #run: PathRun;
  readonly #walk: PathWalk;

  constructor(plan: PathsPlan, context: QueryContext) {
    // Ids added after the last binding are persons too.
    const persons = Math.max(context.identity().size, context.reader.ids().size + 1);
    this.table = new PathTable(persons, plan.depth, context.budget);
    this.labels = new FieldIds(plan.label, context);
    this.#run = { plan, context, sign: plan.direction === 'from' ? 1 : -1 };
    this.#walk = new PathWalk(this.#run, this.table);
  }

  source(rows: EventRows, { from, to }: { readonly from: number; readonly to: number }): PathSource {
    const { plan, context } = this.#run;
    return { rows, filter: filterOf(plan.where, rows, context), labels: this.labels.of(rows, from, to) };
  }

  /** Reads the pieces of a batch; batches come in the direction of the plan. */
  read(pieces: readonly Piece<PathSource>[]): void {
    const { table } = this;
    const first = table.size;
    const [only] = pieces;
    const alone = only !== undefined && pieces.length === 1 ? only : null;
    if (alone !== null) {
      this.#walk.begin(alone);
    } else {
      table.useKeys();
      for (const piece of pieces) beginAmong(piece, { table, run: this.#run, first });
    }
    this.#setEdges(first);
    if (table.depth === 1) return;
    if (alone !== null) {
      this.#walk.follow(alone, first);
    } else {
      for (let place = first; place < table.size; place++) table.open(place);
      for (const piece of pieces) followAmong(piece, { table, run: this.#run, first });
    }
  }

  /** Turns the times at which paths begin into the last keys inside their windows. */
  #setEdges(first: number): void {
    const { edges, size } = this.table;
    const { plan, context, sign } = this.#run;
    const length = fixedLength(plan.window);
    for (let place = first; place < size; place++) {
      if (place % CHECK_EVERY === 0) context.checkpoint();
      const time = edges[place]!;
      edges[place] =
        sign * (length === null ? addDuration(time, plan.window, context.zone, sign) : time + sign * length);
    }
  }
}
