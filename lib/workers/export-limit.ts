/** How many exports run at once: each has a thread of its own, and its reader sets the pace. */
import { AppError } from '../errors.ts';

/** Of a project, and of all together. */
const MOST_OF_PROJECT = 2;
const MOST = 16;

export class ExportLimit {
  readonly #running = new Map<string, number>();

  /** Counts an export of a project until the returned function is called. Throws AppError('overloaded') when there are too many. */
  enter(project: string): () => void {
    const own = this.#running.get(project) ?? 0;
    const all = [...this.#running.values()].reduce((sum, count) => sum + count, 0);
    if (own >= MOST_OF_PROJECT || all >= MOST) {
      throw new AppError('overloaded', `${own >= MOST_OF_PROJECT ? own : all} exports are running already`, {
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
