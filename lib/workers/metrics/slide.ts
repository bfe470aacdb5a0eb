/** The states of windows that overlap, put together from those of their cells. */
import type { Cells } from '../../dsl/time/windows.ts';
import type { CellGroups } from './cell-groups.ts';

/** How states are put together. `add` is associative, and changes neither. */
export interface Adding<State> {
  readonly empty: State;
  readonly add: (a: State, b: State) => State;
}

interface Sliding<State> extends Adding<State> {
  /** The state of a merged group. */
  readonly of: (group: number) => State;
  /** Gets each window's: those of a group are together, in order. */
  readonly use: (window: number, state: State) => void;
}

/** Passes on the state of every window of every group without its time. */
export function slide<State>({ cells, outers, cellOf, count }: CellGroups, sliding: Sliding<State>): void {
  const windows = cells.first.length;
  /** By group without its time: its merged groups. */
  const own: number[][] = Array.from({ length: count }, () => []);
  for (let group = 0; group < outers.length; group++) own[outers[group]!]!.push(group);
  for (const [outer, groups] of own.entries()) {
    const byCell = new Array<State>(cells.starts.length).fill(sliding.empty);
    for (const group of groups) byCell[cellOf[group]!] = sliding.of(group);
    const use = (at: number, state: State): void => sliding.use(outer * windows + at, state);
    eachWindow(byCell, cells, { ...sliding, use });
  }
}

/**
 * A queue of two stacks: of the cells before `middle` it has the state of each suffix, of those after it one state, so that each
 * cell is added twice however many windows it is in, and nothing is ever subtracted, which would round.
 */
function eachWindow<State>(
  byCell: readonly State[],
  { first, end }: Cells,
  { empty, add, use }: Omit<Sliding<State>, 'of'>,
): void {
  const suffixes: State[] = [];
  let [middle, next] = [0, 0];
  let back = empty;
  for (const [at, from] of first.entries()) {
    for (; next < end[at]!; next++) back = add(back, byCell[next]!);
    if (from >= middle) {
      let suffix = empty;
      for (let cell = next - 1; cell >= from; cell--) suffixes[cell] = suffix = add(byCell[cell]!, suffix);
      [middle, back] = [Math.max(next, middle), empty];
    }
    use(at, from < middle ? add(suffixes[from]!, back) : back);
  }
}
