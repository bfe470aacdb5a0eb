/** How many costly tasks run or wait at once: of one project, so that the others have their turn, and of all together. */
import { AppError } from '../errors.ts';

interface Limits {
  /** Plural, for the message: `exports`. */
  readonly what: string;
  readonly ofProject: number;
  readonly ofAll: number;
}

export class ProjectLimit {
  readonly #limits: Limits;
  readonly #running = new Map<string, number>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Counts a task of a project until the returned function is called. Throws AppError('overloaded') when there are too many. */
  enter(project: string): () => void {
    const { what, ofProject, ofAll } = this.#limits;
    const own = this.#running.get(project) ?? 0;
    const all = [...this.#running.values()].reduce((sum, count) => sum + count, 0);
    if (own >= ofProject || all >= ofAll) {
      throw new AppError('overloaded', `${own >= ofProject ? own : all} ${what} are running already`, {
        hints: ['Ask again when one of them has ended.'],
      });
    }
    this.#running.set(project, own + 1);
    return () => {
      const left = this.#running.get(project)! - 1;
      if (left > 0) this.#running.set(project, left);
      else this.#running.delete(project);
    };
  }
}
