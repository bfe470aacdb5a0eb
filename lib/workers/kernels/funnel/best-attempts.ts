/** Of an actor whose attempts were walked value by value of what their steps have in common: the furthest, the earliest of several. */
import { numbersBySlot, countsBySlot } from '../../metrics/state-array.ts';
import type { RowContext } from '../../query-context.ts';
import type { CountedAttempt } from './funnel-attempts.ts';

export class BestAttempts {
  readonly #steps: number;
  readonly #actors: number;
  readonly #reached;
  readonly #labels;
  readonly #arrivals;
  /** By actor and step. */
  readonly #times;

  /** @param actors All actors are below this. */
  constructor(actors: number, steps: number, context: RowContext) {
    this.#steps = steps;
    this.#actors = actors;
    this.#reached = countsBySlot(context);
    this.#labels = countsBySlot(context);
    this.#arrivals = numbersBySlot(context);
    this.#times = numbersBySlot(context);
    for (const state of [this.#reached, this.#labels, this.#arrivals]) state.resize(actors);
    this.#times.resize(actors * steps);
  }

  add({ actor, label, arrival, times, reached }: CountedAttempt): void {
    const known = this.#reached.values[actor]!;
    if (reached < known || (reached === known && !this.#isEarlier(actor, times[0]!, arrival))) return;
    this.#reached.values[actor] = reached;
    this.#labels.values[actor] = label;
    this.#arrivals.values[actor] = arrival;
    const at = actor * this.#steps;
    for (let step = 0; step < reached; step++) this.#times.values[at + step] = times[step]!;
  }

  /** Passes on each actor's; it is valid until the next. */
  each(use: (attempt: CountedAttempt) => void): void {
    const times = new Float64Array(this.#steps);
    for (let actor = 1; actor < this.#actors; actor++) {
      const reached = this.#reached.values[actor]!;
      if (reached === 0) continue;
      const at = actor * this.#steps;
      for (let step = 0; step < reached; step++) times[step] = this.#times.values[at + step]!;
      use({ actor, label: this.#labels.values[actor]!, arrival: this.#arrivals.values[actor]!, times, reached });
    }
  }

  #isEarlier(actor: number, time: number, arrival: number): boolean {
    const order = time - this.#times.values[actor * this.#steps]! || arrival - this.#arrivals.values[actor]!;
    return order < 0;
  }
}
